/* LinUCB rounds written by hand in C: the yardstick for the loop of the package.
 *
 * Contexts are (rounds, dim, arms), as in the package, so inner loops read consecutive memory. It
 * uses Sherman-Morrison for the inverse and recursive least squares for theta. There is no attack,
 * and only regret and pulls are recorded. `whole_game` also draws its rounds. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double linucb(int64_t rounds, int64_t dim, int64_t arms, const double *contexts, const double *means,
              const double *best, const double *noise, double ridge, double sigma, double delta,
              int64_t first, double *inverse, double *theta, int64_t *pulls)
{
    double *score = malloc(sizeof(double) * arms), *form = malloc(sizeof(double) * arms);
    double *inner = malloc(sizeof(double) * arms);
    double *x = malloc(sizeof(double) * dim), *v = malloc(sizeof(double) * dim);
    double regret = 0;
    for (int64_t t = 0; t < rounds; t++) {
        const double *restrict shown = contexts + t * dim * arms;
        double beta = sigma * sqrt(dim * log((1 + (first + t + 1) / ridge) / delta)) + sqrt(ridge);
        memset(score, 0, sizeof(double) * arms);
        memset(form, 0, sizeof(double) * arms);
        for (int64_t i = 0; i < dim; i++) {
            const double *restrict row = shown + i * arms;
            const double half = 0.5 * inverse[i * dim + i], weight = theta[i];
            for (int64_t a = 0; a < arms; a++) {
                score[a] += weight * row[a];
                inner[a] = half * row[a];
            }
            for (int64_t j = 0; j < i; j++) {
                const double w = inverse[i * dim + j];
                const double *restrict other = shown + j * arms;
                for (int64_t a = 0; a < arms; a++) inner[a] += w * other[a];
            }
            for (int64_t a = 0; a < arms; a++) form[a] += inner[a] * row[a];
        }
        int64_t arm = 0;
        for (int64_t a = 0; a < arms; a++) score[a] += beta * sqrt(2 * form[a]);
        for (int64_t a = 1; a < arms; a++) if (score[a] > score[arm]) arm = a;
        const double reward = means[t * arms + arm] + noise[t];
        regret += best[t] - means[t * arms + arm];
        pulls[arm]++;
        for (int64_t i = 0; i < dim; i++) x[i] = shown[i * arms + arm];
        double leverage = 0, guess = 0;
        for (int64_t i = 0; i < dim; i++) {
            double sum = 0;
            for (int64_t j = 0; j < dim; j++) sum += inverse[i * dim + j] * x[j];
            v[i] = sum;
        }
        for (int64_t i = 0; i < dim; i++) { leverage += x[i] * v[i]; guess += x[i] * theta[i]; }
        const double shrink = 1 / (1 + leverage), step = shrink * (reward - guess);
        for (int64_t i = 0; i < dim; i++) {
            const double w = shrink * v[i];
            theta[i] += step * v[i];
            for (int64_t j = 0; j < dim; j++) inverse[i * dim + j] -= w * v[j];
        }
    }
    free(score); free(form); free(inner); free(x); free(v);
    return regret;
}

/* ------------------------------------------------------------------ rounds drawn in C, too */

static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static uint64_t next(uint64_t *s) /* xoshiro256++ of Blackman and Vigna */
{
    const uint64_t result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t; s[3] = rotate(s[3], 45);
    return result;
}

static double uniform(uint64_t *s) { return (next(s) >> 11) * 0x1.0p-53; }

static double normal(uint64_t *s) /* Marsaglia's polar method; the second number is not used */
{
    for (;;) {
        const double u = 2 * uniform(s) - 1, v = 2 * uniform(s) - 1, q = u * u + v * v;
        if (q > 0 && q < 1) return u * sqrt(-2 * log(q) / q);
    }
}

static void draw_arms(int64_t dim, int64_t arms, const double *theta, uint64_t *s,
                      double *contexts, double *means, double *best)
{
    const double scale = 2 / sqrt(dim);
    for (int64_t a = 0; a < arms; a++) means[a] = 1;
    for (int64_t i = 0; i < dim; i++)
        for (int64_t a = 0; a < arms; a++) {
            const double feature = (uniform(s) - 0.5) * scale;
            contexts[i * arms + a] = feature;
            means[a] += theta[i] * feature;
        }
    *best = 0;
    for (int64_t a = 0; a < arms; a++) {
        means[a] *= 0.5;
        if (means[a] > *best) *best = means[a];
    }
}

/* A whole game: draws theta, contexts and noise, and plays LinUCB; returns the regret. */
double whole_game(int64_t rounds, int64_t dim, int64_t arms, int64_t fixed, double ridge,
                  double sigma, double delta, uint64_t seed)
{
    uint64_t s[4] = {seed, seed ^ 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb};
    for (int k = 0; k < 100; k++) next(s);
    double *truth = malloc(sizeof(double) * dim), *guess = calloc(dim, sizeof(double));
    double *inverse = calloc(dim * dim, sizeof(double));
    double *contexts = malloc(sizeof(double) * dim * arms), *means = malloc(sizeof(double) * arms);
    int64_t *pulls = calloc(arms, sizeof(int64_t));
    for (int64_t i = 0; i < dim; i++) {
        truth[i] = (uniform(s) - 0.5) * 2 / sqrt(dim);
        inverse[i * dim + i] = 1 / ridge;
    }
    double regret = 0, best = 0;
    for (int64_t t = 0; t < rounds; t++) {
        if (t == 0 || !fixed) draw_arms(dim, arms, truth, s, contexts, means, &best);
        const double noise = sigma * normal(s);
        regret += linucb(1, dim, arms, contexts, means, &best, &noise, ridge, sigma, delta, t,
                         inverse, guess, pulls);
    }
    free(truth); free(guess); free(inverse); free(contexts); free(means); free(pulls);
    return regret;
}
