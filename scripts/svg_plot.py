"""How does a table of figures become a picture? Lines over logarithmic axes as SVG, with nothing but the
standard library."""
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 64, 170, 36, 56
COLOURS = ("#0b5fa5", "#c8501e", "#3a8a3a", "#7d4fa8", "#8a6d1d", "#b5306e", "#2a9d9d", "#666666")


def ticks(low, high):
    """1, 2 and 5 times powers of ten from low to high; powers alone where these are many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1,) if last - first > 3 else (1, 2, 5)
    values = (step * 10.0 ** power for power in range(first, last + 1) for step in steps)
    return [value for value in values if low <= value * 1.0001 and value <= high * 1.0001]


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Plot:
    """Lines over logarithmic axes, as SVG. A series is [(x, low, median, high)] in ascending x."""

    def __init__(self, title, x_title, y_title, series, dashed=()):
        self.parts = []
        xs = [p[0] for _, points in series for p in points]
        ys = [y for _, points in series for p in points for y in p[1:]]
        ys += [p[1] for _, points in dashed for p in points]
        self.x = (min(xs), max(max(xs), min(xs) * 1.01))
        self.y = (min(ys) / 1.3, max(ys) * 1.3)
        self.axes(title, x_title, y_title, sorted(set(xs)))
        for number_, (name, points) in enumerate(dashed):
            self.line([(x, y) for x, y in points], "#999999", "4 4" if number_ == 0 else "1 4")
            self.label(number_ + len(series), name, "#777777", "4 4" if number_ == 0 else "1 4")
        for number_, (name, points) in enumerate(series):
            colour = COLOURS[number_ % len(COLOURS)]
            self.line([(p[0], p[2]) for p in points], colour)
            for x, low, median, high in points:
                self.add(f'<line x1="{self.px(x):.1f}" x2="{self.px(x):.1f}" y1="{self.py(low):.1f}" '
                         f'y2="{self.py(high):.1f}" stroke="{colour}"/>')
                self.add(f'<circle cx="{self.px(x):.1f}" cy="{self.py(median):.1f}" r="3" fill="{colour}"/>')
            self.label(number_, name, colour)

    def px(self, x):
        share = math.log(x / self.x[0]) / math.log(self.x[1] / self.x[0])
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def py(self, y):
        share = math.log(y / self.y[0]) / math.log(self.y[1] / self.y[0])
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def add(self, part):
        self.parts.append(part)

    def text(self, x, y, text, anchor="middle", colour="#222222", more=""):
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{more}>'
                 f"{escaped(text)}</text>")

    def line(self, points, colour, dash=""):
        path = " ".join(f"{self.px(x):.1f},{self.py(y):.1f}" for x, y in points)
        more = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"{more}/>')

    def label(self, row, name, colour, dash=""):
        x, y = WIDTH - RIGHT + 14, TOP + 12 + 18 * row
        more = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<line x1="{x}" x2="{x + 20}" y1="{y - 4}" y2="{y - 4}" stroke="{colour}" '
                 f'stroke-width="2"{more}/>')
        self.text(x + 26, y, name, "start")

    def axes(self, title, x_title, y_title, sizes):
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        self.text((LEFT + right) / 2, 20, title, more=' font-size="14"')
        for y in ticks(*self.y):
            at = self.py(y)
            self.add(f'<line x1="{LEFT}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}" stroke="#e4e4e4"/>')
            self.text(LEFT - 6, at + 4, f"{y:g}", "end")
        taken = -math.inf
        for size in sizes:
            at = self.px(size)
            self.add(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{bottom}" y2="{bottom + 4}" stroke="#222222"/>')
            if at - taken > 34:
                self.text(at, bottom + 18, f"{size:g}")
                taken = at
        self.add(f'<rect x="{LEFT}" y="{TOP}" width="{right - LEFT}" height="{bottom - TOP}" fill="none" '
                 'stroke="#222222"/>')
        self.text((LEFT + right) / 2, HEIGHT - 16, x_title)
        middle = (TOP + bottom) / 2
        self.text(16, middle, y_title, more=f' transform="rotate(-90 16 {middle:.1f})"')

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
                f'height="{HEIGHT}" font-family="sans-serif" font-size="12">\n'
                f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n' + "\n".join(self.parts)
                + "\n</svg>\n")
