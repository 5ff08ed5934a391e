"""The numbers that hold unless somebody says otherwise, as the papers have them."""

from __future__ import annotations

FIRST_BATCH = 100
"""So many occurrences of a word are tagged before its senses are counted."""

SHARED_ITEMS = 100
"""Means over pairs of people are over those who share at least so many items."""

TEST_SHARE = 1 / 3
"""The share of a release's items that are for testing."""
