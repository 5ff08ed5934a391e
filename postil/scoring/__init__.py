"""Official scorers, agreement and significance; every score knows how it was made."""
