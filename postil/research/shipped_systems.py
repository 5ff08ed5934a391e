"""The sense systems as the benchmark makes them: a fresh tagger for each name."""

from __future__ import annotations

from functools import partial

from postil.senses.tagger import Tagger

swat_hk_bo = partial(Tagger, "swat-hk-bo")
swat_hk = partial(Tagger, "swat-hk")
swat = partial(Tagger, "swat")
bcu_svm = partial(Tagger, "bcu-svm")
bcu_comb = partial(Tagger, "bcu-comb")
irst = partial(Tagger, "irst")
duluth = partial(Tagger, "duluth")
umd = partial(Tagger, "umd")
postil = partial(Tagger, "postil")
postil_encoder = partial(Tagger, "postil-encoder")
