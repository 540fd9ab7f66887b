"""Policies that are ordinary Python objects, for tests."""

import math

import numpy as np


class PlainLinUCB:
    """LinUCB as anybody would write it with NumPy; parameters are the defaults of ours."""

    def __init__(self, problem, ridge=0.1, delta=0.01, sigma=0.1):
        self.gram = ridge * np.eye(problem.dim)
        self.moment = np.zeros(problem.dim)
        self.ridge, self.delta, self.sigma = ridge, delta, sigma
        self.problem = problem
        self.count = 0

    def choose(self, contexts):
        inverse = np.linalg.inv(self.gram)
        growth = 1.0 + (self.count + 1) * self.problem.context_bound**2 / self.ridge
        inside = self.problem.dim * math.log(growth / self.delta)
        radius = self.sigma * math.sqrt(inside)
        radius += math.sqrt(self.ridge) * self.problem.theta_bound
        widths = np.sqrt(np.einsum("ai,ij,aj->a", contexts, inverse, contexts))
        return int(np.argmax(contexts @ inverse @ self.moment + radius * widths))

    def learn(self, contexts, arm, reward):
        self.gram += np.outer(contexts[arm], contexts[arm])
        self.moment += reward * contexts[arm]
        self.count += 1


class Rotation:
    """Play one arm after another, and remember everything that it was given."""

    def __init__(self, start=0):
        self.next = start
        self.log = []

    def choose(self, contexts):
        arm = self.next % len(contexts)
        self.next += 1
        self.log.append(("choose", contexts))
        return arm

    def learn(self, contexts, arm, reward):
        self.log.append(("learn", contexts, arm, reward))
