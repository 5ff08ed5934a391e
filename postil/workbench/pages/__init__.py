"""The workbench's pages: one module for each group of them, their templates, and what guards them."""
