"""The careful reader's weights for Postil; there is no code here."""
