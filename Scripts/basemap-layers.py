"""Writes the layers of the world's map as GeoJSON lines, for tippecanoe: land, water, borders, states and places.

Usage: basemap-layers.py NATURAL_EARTH_FOLDER GEONAMES_FOLDER OUTPUT_FOLDER

Natural Earth (public domain) gives the shapes and the names of countries, GeoNames (CC BY 4.0) the towns. The same
input gives the same bytes. Web/basemap/README.md says what each property means.
"""
import json
import math
import pathlib
import sys
import unicodedata

import shapefile

# Coordinates with 4 decimals are good to 11 m, far finer than the source's 1:10,000,000.
DECIMALS = 4

# A lake is drawn from the zoom at which a square of its area would be so many pixels wide, on tiles of 256 pixels.
SMALLEST_LAKE_PIXELS = 6

# Capitals are drawn at least from zoom 4, with the towns of half a million.
CAPITAL_ZOOM = 4

# From which zoom a town of so many people is drawn.
TOWN_ZOOMS = [(5_000_000, 2), (1_500_000, 3), (400_000, 4), (100_000, 5), (0, 6)]

# How many people a town of rank 1 has; each further rank has half as many.
FIRST_RANK_POPULATION = 20_000_000


def main(natural_earth: pathlib.Path, geonames: pathlib.Path, output: pathlib.Path) -> None:
    fine = natural_earth / "natural_earth_10m"
    write(output / "land.geojsonl", shapes(fine / "ne_10m_land"))
    write(output / "water.geojsonl", lakes(fine / "ne_10m_lakes"))
    write(output / "borders.geojsonl", shapes(fine / "ne_10m_admin_0_boundary_lines_land"))
    write(output / "states.geojsonl", shapes(fine / "ne_10m_admin_1_states_provinces_lines", smallest_zoom=3))
    countries = country_names(natural_earth / "natural_earth_110m" / "ne_110m_admin_0_countries")
    write(output / "places.geojsonl", countries + towns(geonames))


def write(path: pathlib.Path, features: list) -> None:
    lines = (json.dumps(feature, ensure_ascii=False, separators=(",", ":"), sort_keys=True) for feature in features)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def feature(geometry: dict, properties: dict, smallest_zoom: int) -> dict:
    return {
        "type": "Feature",
        "geometry": {"type": geometry["type"], "coordinates": rounded(geometry["coordinates"])},
        "properties": properties,
        "tippecanoe": {"minzoom": smallest_zoom},
    }


def rounded(coordinates):
    if isinstance(coordinates[0], (int, float)):
        return [round(value, DECIMALS) for value in coordinates[:2]]
    return [rounded(part) for part in coordinates]


# Shapes

def geometries(name: pathlib.Path) -> list:
    """The geometries of a shapefile, which needs no table of attributes."""
    reader = shapefile.Reader(shp=open(f"{name}.shp", "rb"), shx=open(f"{name}.shx", "rb"))
    return [shape.__geo_interface__ for shape in reader.iterShapes() if shape.points]


def shapes(name: pathlib.Path, smallest_zoom: int = 0) -> list:
    return [feature(geometry, {}, smallest_zoom) for geometry in geometries(name)]


def lakes(name: pathlib.Path) -> list:
    return [feature(geometry, {}, lake_zoom(geometry)) for geometry in geometries(name)]


def lake_zoom(geometry: dict) -> int:
    polygons = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    degrees = math.sqrt(sum(ring_area(polygon[0]) for polygon in polygons))
    pixels = degrees / 360 * 256
    return min(6, max(0, math.ceil(math.log2(SMALLEST_LAKE_PIXELS / max(pixels, 1e-9)))))


def ring_area(ring) -> float:
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:]))) / 2


# Names

def country_names(name: pathlib.Path) -> list:
    """A point with the names of each country, where Natural Earth would write them."""
    found = []
    for record in shapefile.Reader(str(name), encoding="utf-8").iterRecords():
        values = record.as_dict()
        properties = {"kind": "country", "name": values["ADMIN"], "rank": int(values["LABELRANK"])}
        for language in ("es", "ja", "zh"):
            properties[f"name:{language}"] = values[f"NAME_{language.upper()}"]
        point = {"type": "Point", "coordinates": [values["LABEL_X"], values["LABEL_Y"]]}
        found.append(feature(point, properties, max(1, min(6, round(values["MIN_LABEL"]) - 1))))
    return sorted(found, key=lambda country: (country["properties"]["rank"], country["properties"]["name"]))


def towns(folder: pathlib.Path) -> list:
    """A point for each town of at least 15,000 people, the largest first."""
    cities = json.loads((folder / "cities15000.json").read_text(encoding="utf-8")).values()
    countries = json.loads((folder / "countries.json").read_text(encoding="utf-8")).values()
    capitals = {(country["iso"], plain(country["capital"])) for country in countries if country["capital"]}
    found = []
    seen_capitals = set()
    for city in sorted(cities, key=lambda city: (-city["population"], city["geonameid"])):
        key = (city["countrycode"], plain(city["name"]))
        is_capital = key in capitals and key not in seen_capitals
        if is_capital:
            seen_capitals.add(key)
        population = max(city["population"], 1)
        zoom = next(zoom for least, zoom in TOWN_ZOOMS if population >= least)
        properties = {
            "kind": "capital" if is_capital else "town",
            "name": city["name"],
            "rank": 1 + max(0, math.floor(math.log2(FIRST_RANK_POPULATION / population))),
            **told_names(city),
        }
        point = {"type": "Point", "coordinates": [city["longitude"], city["latitude"]]}
        found.append(feature(point, properties, min(zoom, CAPITAL_ZOOM) if is_capital else zoom))
    return found


def plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def told_names(city: dict) -> dict:
    """The Japanese and the Chinese name, where the script and the character set leave exactly one that it can be.

    GeoNames lists other names without their languages. Katakana is Japanese; in Japan so is a name in the
    characters of JIS X 0208. Elsewhere a name in Han characters alone, all of them in GB 2312, is simplified Chinese.
    """
    names = city["alternatenames"]
    han = [name for name in names if name and all(is_han(letter) for letter in name)]
    if city["countrycode"] == "JP":
        japanese = [name for name in han if can_encode(name, "shift_jis")]
    else:
        japanese = [name for name in names if name and all(is_katakana(letter) for letter in name)]
    chinese = [name for name in han if can_encode(name, "gb2312")]
    found = {"name:ja": only(japanese), "name:zh": only(chinese)}
    return {key: name for key, name in found.items() if name}


def is_han(letter: str) -> bool:
    return "\u4e00" <= letter <= "\u9fff" or letter == "々"


def is_katakana(letter: str) -> bool:
    return "\u30a1" <= letter <= "\u30fc" or letter in "・＝"


def can_encode(name: str, charset: str) -> bool:
    try:
        name.encode(charset)
    except UnicodeEncodeError:
        return False
    return True


def only(names: list) -> str | None:
    """The one name of a list, if it has one apart from the same name with "city" or a like word behind it."""
    rest = [name for name in names if not (name[-1] in "市都府県县區区町" and name[:-1] in names)]
    return rest[0] if len(rest) == 1 else None


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:4]))
