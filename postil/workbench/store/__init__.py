"""The store: plain functions over one database; each is one transaction, and returns records."""
