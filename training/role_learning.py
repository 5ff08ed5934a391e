"""Learning the role model's three parts with numpy: a conditional choice, a small network, a yes-or-no."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

# How often a training example is shown as if its word had never been met.
UNKNOWN = 0.1


def learn_choice(
    buckets: np.ndarray,
    sizes: np.ndarray,
    answers: np.ndarray,
    bits: int,
    lexical: np.ndarray,
    epochs: int = 5,
    rate: float = 0.1,
    decay: float = 1e-6,
    seed: int = 0,
) -> np.ndarray:
    """Weights so that, in each group of rows, the answer's row scores highest (softmax, Adagrad).

    `sizes` are the groups' numbers of rows, `answers` the place of the right row in each.
    """
    rng = np.random.default_rng(seed)
    weights = np.zeros(1 << bits, dtype=np.float64)
    squares = np.full(1 << bits, 1e-6)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    total = np.zeros_like(weights)
    steps = 0
    for epoch in range(epochs):
        order = rng.permutation(len(sizes))
        for chunk in np.array_split(order, max(1, len(order) // 256)):
            length = sizes[chunk]
            first = np.concatenate([[0], np.cumsum(length)[:-1]])
            rows = np.repeat(starts[chunk] - first, length) + np.arange(length.sum())
            part = buckets[rows]
            group = np.repeat(np.arange(len(chunk)), length)
            shown = ~((rng.random(len(chunk)) < UNKNOWN)[group, None] & lexical)
            scores = (weights[part] * shown).sum(axis=1)
            scores -= np.maximum.reduceat(scores, first)[group]
            chances = np.exp(scores)
            chances /= np.add.reduceat(chances, first)[group]
            chances[first + answers[chunk]] -= 1
            _step(weights, squares, part, chances[:, None] * shown, rate, decay)
            if epoch >= epochs // 2:
                total += weights
                steps += 1
    return (total / steps).astype(np.float32)


def learn_yes(
    buckets: np.ndarray, answers: np.ndarray, bits: int, epochs: int = 6, rate: float = 0.1, seed: int = 0
) -> np.ndarray:
    """Weights whose sum is above zero where the answer is yes (logistic regression, Adagrad)."""
    rng = np.random.default_rng(seed)
    weights = np.zeros(1 << bits, dtype=np.float64)
    squares = np.full(1 << bits, 1e-6)
    for _ in range(epochs):
        order = rng.permutation(len(buckets))
        for chunk in np.array_split(order, max(1, len(order) // 512)):
            part = buckets[chunk]
            slope = 1 / (1 + np.exp(-weights[part].sum(axis=1))) - answers[chunk]
            _step(weights, squares, part, np.repeat(slope[:, None], part.shape[1], axis=1), rate, 1e-6)
    return weights.astype(np.float32)


def _step(
    weights: np.ndarray, squares: np.ndarray, part: np.ndarray, slope: np.ndarray, rate: float, decay: float
) -> None:
    touched, where = np.unique(part, return_inverse=True)
    slopes = np.bincount(where.ravel(), slope.ravel(), len(touched))
    slopes += decay * len(part) * weights[touched]
    squares[touched] += slopes**2
    weights[touched] -= rate * slopes / np.sqrt(squares[touched])


class Adam:
    """Adam that can update some rows of a matrix only."""

    def __init__(self, shape: tuple[int, ...], rate: float) -> None:
        self.rate = rate
        self.mean = np.zeros(shape, dtype=np.float32)
        self.square = np.zeros(shape, dtype=np.float32)

    def step(
        self, values: np.ndarray, slopes: np.ndarray, rows: np.ndarray | slice, time: int, rate: float
    ) -> None:
        mean = self.mean[rows] * 0.9 + 0.1 * slopes
        square = self.square[rows] * 0.999 + 0.001 * slopes**2
        self.mean[rows], self.square[rows] = mean, square
        early = np.sqrt(1 - 0.999**time) / (1 - 0.9**time)
        values[rows] -= (rate * early) * mean / (np.sqrt(square) + 1e-8)


def learn_network(
    buckets: np.ndarray,
    answers: np.ndarray,
    labels: int,
    lexical: np.ndarray,
    bits: int,
    hidden: int,
    epochs: int,
    rate: float = 3e-3,
    dropout: float = 0.3,
    batch: int = 2048,
    hide: float = 0.15,
    seed: int = 0,
    report=None,
) -> dict[str, np.ndarray]:
    """A network of summed feature vectors, a rectifier and a softmax; the learning rate falls to nothing."""
    rng = np.random.default_rng(seed)
    width = buckets.shape[1]
    vectors = (rng.standard_normal((1 << bits, hidden)) * 0.05).astype(np.float32)
    bias = np.zeros(hidden, dtype=np.float32)
    output = (rng.standard_normal((hidden, labels)) * (1 / np.sqrt(hidden))).astype(np.float32)
    output_bias = np.zeros(labels, dtype=np.float32)
    adams = [Adam(one.shape, rate) for one in (vectors, bias, output, output_bias)]
    time = 0
    whole = epochs * max(1, len(buckets) // batch)
    everything = slice(None)
    for epoch in range(epochs):
        loss = 0.0
        order = rng.permutation(len(buckets))
        for chunk in np.array_split(order, max(1, len(order) // batch)):
            time += 1
            now = rate * max(0.02, 1 - time / whole)
            size = len(chunk)
            touched, where = np.unique(buckets[chunk], return_inverse=True)
            shown = (rng.random((size, width), dtype=np.float32) >= hide) / np.float32(1 - hide)
            shown *= ~((rng.random(size) < UNKNOWN)[:, None] & lexical)
            ones = shown.ravel()
            matrix = csr_matrix(
                (ones, where.ravel().astype(np.int32), np.arange(0, size * width + 1, width)),
                (size, len(touched)),
            )
            above = matrix @ vectors[touched] + bias
            mask = (
                (above > 0) * (rng.random(above.shape, dtype=np.float32) >= dropout) / np.float32(1 - dropout)
            )
            mask = mask.astype(np.float32)
            active = above * mask
            logits = active @ output + output_bias
            logits -= logits.max(axis=1, keepdims=True)
            chances = np.exp(logits)
            chances /= chances.sum(axis=1, keepdims=True)
            right = (np.arange(size), answers[chunk])
            loss -= float(np.log(chances[right] + 1e-12).sum())
            chances[right] -= 1
            chances /= size
            back = (chances @ output.T) * mask
            adams[2].step(output, active.T @ chances, everything, time, now)
            adams[3].step(output_bias, chances.sum(axis=0), everything, time, now)
            adams[0].step(vectors, matrix.T @ back, touched, time, now)
            adams[1].step(bias, back.sum(axis=0), everything, time, now)
        if report:
            report(
                epoch,
                loss / len(buckets),
                {"vectors": vectors, "hidden_bias": bias, "output": output, "output_bias": output_bias},
            )
    return {"vectors": vectors, "hidden_bias": bias, "output": output, "output_bias": output_bias}
