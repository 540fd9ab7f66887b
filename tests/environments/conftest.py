"""The data room, for the tests of this folder."""

from environments.data_room import room as room
