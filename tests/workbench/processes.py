"""Processes for tests that start quickly: what workers need was imported once, and is copied."""

from __future__ import annotations

import multiprocessing


def quick_context():
    """Not forked from the tests themselves, which have threads and open connections."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["postil.workbench.groups", "postil.workbench.jobs.grading", "postil.workbench.jobs.worker"]
    )
    return context


def start_process(target, *arguments, daemon=True, **options):
    """Start a function in a process of its own."""
    context = quick_context()
    process = context.Process(target=target, args=arguments, kwargs=options, daemon=daemon)
    process.start()
    return process
