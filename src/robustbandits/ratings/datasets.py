"""The data sets that this library knows: sizes, checksums, licences, citations."""

from __future__ import annotations

from dataclasses import dataclass

_MOVIELENS_TERMS = (
    "research use; no endorsement may be claimed; cite it; no redistribution and no commercial "
    "use without permission of GroupLens, University of Minnesota"
)
_HARPER = (
    "F. Maxwell Harper and Joseph A. Konstan (2015). The MovieLens Datasets: History and Context. "
    "ACM Transactions on Interactive Intelligent Systems 5(4), 19:1-19:19. "
    "https://doi.org/10.1145/2827872"
)
_BENNETT = (
    "James Bennett and Stan Lanning (2007). The Netflix Prize. Proceedings of KDD Cup and Workshop."
)


@dataclass(frozen=True)
class Dataset:
    """A public set of ratings. A text field is empty if it does not apply."""

    name: str
    about: str
    ratings: int
    users: int
    items: int
    files: tuple[str, ...]  # the files that are kept; the first holds the ratings and is required
    sha256: str  # of the first file with Unix line ends; if empty, only the size is checked
    archive: str  # address of the official archive
    archive_hash: str  # its published checksum
    variable: str  # environment variable with the path of the user's own copy
    licence: str
    citation: str

    @property
    def size(self) -> tuple[int, int, int]:
        """Numbers of ratings, of users and of items."""
        return self.ratings, self.users, self.items


MOVIELENS_100K = Dataset(
    name="movielens-100k",
    about="MovieLens 100K (1998): whole stars, 1 to 5",
    ratings=100_000,
    users=943,
    items=1_682,
    files=("u.data", "u.item", "README", "ml-100k.item"),
    sha256="06416e597f82b7342361e41163890c81036900f418ad91315590814211dca490",
    archive="https://files.grouplens.org/datasets/movielens/ml-100k.zip",
    archive_hash="md5:0e33842e24a9c977be4e0107933c0723",
    variable="ROBUSTBANDITS_MOVIELENS",
    licence=_MOVIELENS_TERMS,
    citation=_HARPER,
)
MOVIELENS_1M = Dataset(
    name="movielens-1m",
    about="MovieLens 1M (2003): whole stars, 1 to 5",
    ratings=1_000_209,
    users=6_040,
    items=3_706,
    files=("ratings.dat", "movies.dat", "README"),
    sha256="",
    archive="https://files.grouplens.org/datasets/movielens/ml-1m.zip",
    archive_hash="md5:c4d9eecfca2ab87c1945afe126590906",
    variable="ROBUSTBANDITS_MOVIELENS_1M",
    licence=_MOVIELENS_TERMS,
    citation=_HARPER,
)
MOVIELENS_LATEST_SMALL = Dataset(
    name="movielens-latest-small",
    about="MovieLens latest-small (September 2018): half stars, 0.5 to 5",
    ratings=100_836,
    users=610,
    items=9_724,
    files=("ratings.csv", "movies.csv", "README.txt"),
    sha256="80da8b3393dae325bbba5a31f291a6ba55d8d4f4396de3c456f2c1635b1b70e8",
    archive="https://files.grouplens.org/datasets/movielens/ml-latest-small.zip",
    archive_hash="",
    variable="ROBUSTBANDITS_MOVIELENS_LATEST_SMALL",
    licence=(
        "research use; no endorsement may be claimed; cite it; may be redistributed under the "
        "same terms; no commercial use without permission of GroupLens, University of Minnesota"
    ),
    citation=_HARPER,
)
NETFLIX = Dataset(
    name="netflix",
    about="Netflix Prize (1998-2005): whole stars, 1 to 5; your own copy, no download",
    ratings=100_480_507,
    users=480_189,
    items=17_770,
    files=("training_set", "combined_data_1.txt"),
    sha256="",
    archive="",
    archive_hash="",
    variable="ROBUSTBANDITS_NETFLIX",
    licence=(
        "research use; no endorsement may be claimed; acknowledge it and send Netflix a copy of "
        "publications; no redistribution; no commercial use without permission of Netflix"
    ),
    citation=_BENNETT,
)
DATASETS = {
    dataset.name: dataset
    for dataset in (MOVIELENS_100K, MOVIELENS_1M, MOVIELENS_LATEST_SMALL, NETFLIX)
}


def find_dataset(name: str) -> Dataset:
    """Return the data set with this name."""
    if name not in DATASETS:
        raise ValueError(f"there is no data set {name!r}; known data sets: {', '.join(DATASETS)}")
    return DATASETS[name]


def dataset_of_size(*size: int) -> Dataset | None:
    """Return the data set that has exactly this many ratings, users and items."""
    return next((dataset for dataset in DATASETS.values() if dataset.size == size), None)
