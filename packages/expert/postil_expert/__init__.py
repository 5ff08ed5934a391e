"""The expert reader's adapter for Postil; there is no code here."""
