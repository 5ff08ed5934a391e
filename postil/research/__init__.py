"""Systems × data × scorers: tables beside the published ones."""
