"""What pages and API share: sessions, access, limits, addresses, problems, monitoring."""
