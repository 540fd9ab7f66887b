"""The data room, for the tests of these tests."""

from ratings.data_room import room as room
