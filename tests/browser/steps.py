"""Steps that the tests of several pages share."""

from browser.limits import TIMEOUT

#: Returns the words that are broken over two lines.
BROKEN = """() => {
  const broken = [];
  for (const name of document.querySelectorAll('.scroll th, figcaption, button.policy, h4')) {
    const words = document.createTreeWalker(name, NodeFilter.SHOW_TEXT);
    while (words.nextNode()) {
      const text = words.currentNode.data;
      for (const found of text.matchAll(/[^ ]+/g)) {
        const range = document.createRange();
        range.setStart(words.currentNode, found.index);
        range.setEnd(words.currentNode, found.index + found[0].length);
        const lines = new Set([...range.getClientRects()].map(line => Math.round(line.top)));
        if (lines.size > 1) broken.push(found[0]);
      }
    }
  }
  return broken;
}"""


def until(locator, **wanted):
    """Wait until a locator has a count, a text, ...: ``until(lines, have_count=3)``."""
    from playwright.sync_api import expect

    for name, value in wanted.items():
        arguments = () if value is None else (value,)
        method = "not_to_" + name[4:] if name.startswith("not_") else "to_" + name
        getattr(expect(locator), method)(*arguments, timeout=TIMEOUT)


def open_all(page):
    for details in page.locator("details").all():
        details.evaluate("details => { details.open = true; }")
