"""The workbench: web pages, the store behind them, and jobs that go on in the background."""
