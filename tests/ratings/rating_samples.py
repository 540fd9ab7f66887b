"""The same few ratings, written in each format."""

import itertools

#: user id, item id, stars; in the order of the items, as Netflix has them.
RATINGS = [(7, 2, 5), (1488844, 2, 3), (30, 2, 1), (7, 11, 4), (30, 17770, 2)]


def blocks(ratings, end="\n"):
    """Netflix: a line "movie:", then user,rating,date."""
    text = ""
    for item, group in itertools.groupby(ratings, key=lambda row: row[1]):
        text += f"{item}:{end}"
        text += "".join(f"{user},{stars},2005-09-06{end}" for user, _, stars in group)
    return text


def write_training_set(folder, ratings=RATINGS):
    folder.mkdir(parents=True)
    for item, group in itertools.groupby(ratings, key=lambda row: row[1]):
        (folder / f"mv_{item:07}.txt").write_text(blocks(list(group)), encoding="ascii")


def lines(ratings, pattern, end="\n"):
    return "".join(pattern.format(u=u, i=i, r=r) + end for u, i, r in ratings)


#: Name of the file, and its text, for the formats of one file.
FILES = {
    "u.data": lines(RATINGS, "{u}\t{i}\t{r}\t881250949"),
    "ratings.dat": lines(RATINGS, "{u}::{i}::{r}::978300760"),
    "ratings.csv": "userId,movieId,rating,timestamp\n" + lines(RATINGS, "{u},{i},{r}.0,964982703"),
    "mixed.csv": "r;when;u;m\n" + lines(RATINGS, "{r}.0;x;{u};{i}"),
    "mv_0000002.txt": blocks(RATINGS),
    "combined_data_1.txt": blocks(RATINGS),
    "flat.csv": lines(RATINGS, "{i},{u},{r}.0"),
    "dated.csv": lines(RATINGS, "{i},{u},{r},2005-09-06"),
    "timed.csv": lines(RATINGS, "{u},{i},{r},964982703"),
    "ml-100k.inter": "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
    + lines(RATINGS, "{u}\t{i}\t{r}\t881250949"),
}


def triples(table):
    """Return a table as it was written: ids and stars."""
    users = table.user_ids[table.users].tolist()
    items = table.item_ids[table.items].tolist()
    return list(zip(users, items, table.ratings.tolist(), strict=True))
