"""The data room, for the tests of this folder."""

from ratings.data_room import room as room
