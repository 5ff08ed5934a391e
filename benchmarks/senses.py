"""The promises about senses: instances tagged a second, and the time to train the best system for a word.

    python benchmarks/senses.py FILE [--system postil] [--rounds 5]

FILE is a lexical sample with a word of 4,000 labelled instances or more, such as *line*, *hard* or *serve*.
Tagging is timed twice: from instances in memory (features, members, pool), and from the file.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter
from pathlib import Path

from postil.data.formats.senseval import read_senseval
from postil.senses.tagger import load_tagger, train_tagger

INSTANCES = 4000
TAGGING = 2000  # instances a second
TRAINING = 60  # seconds


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--system", default="postil")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    print(f"cores: {os.cpu_count()}; load before: {os.getloadavg()[0]:.2f}; system: {given.system}")
    instances = read_senseval(given.file)
    word, _ = Counter(instance.lexelt for instance in instances).most_common(1)[0]
    instances = [instance for instance in instances if instance.lexelt == word]
    start = time.perf_counter()
    tagger = train_tagger(instances[:INSTANCES], given.system)
    spent = time.perf_counter() - start
    print(f"{word}: {min(INSTANCES, len(instances)):,} instances learned in {spent:.1f} s")
    print(f"promise: ≤ {TRAINING} s; {'kept' if spent <= TRAINING else 'MISSED'}")
    with tempfile.TemporaryDirectory() as folder:
        tagger.save(folder)
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        tagger = load_tagger(folder)
    rates, read = [], []
    for _ in range(given.rounds):
        start = time.perf_counter()
        tagger.predict(instances)
        rates.append(len(instances) / (time.perf_counter() - start))
        start = time.perf_counter()
        tags = tagger.predict(read_senseval(given.file))
        read.append(len(tags) / (time.perf_counter() - start))
    listed = ", ".join(f"{rate:,.0f}" for rate in rates)
    print(f"model: {size / 2**20:.1f} MB; tagged: {max(rates):,.0f} instances/s ({listed})")
    print(f"… with reading the file: {max(read):,.0f} instances/s")
    print(f"promise: ≥ {TAGGING:,} instances/s; {'kept' if max(rates) >= TAGGING else 'MISSED'}")
    print(f"load after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
