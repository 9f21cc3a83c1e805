"""The Xcode project in Apps/Apple, as its files say it."""

import json
import pathlib
import plistlib
import re

from pbxproj import XcodeProject

root = pathlib.Path(__file__).resolve().parents[2]
apple = root / "Apps/Apple"
project_file = apple / "Muster.xcodeproj/project.pbxproj"
languages = ("en", "es", "ja", "zh-Hans")


def plist(path):
    """A property list of the folder."""
    with open(apple / path, "rb") as file:
        return plistlib.load(file)


def catalog(path):
    """The texts of a string catalog: a language to a text for each key."""
    strings = json.loads((apple / path).read_text())["strings"]
    return {
        key: {
            language: text.get("stringUnit", text.get("stringSet"))
            for language, text in entry["localizations"].items()}
        for key, entry in strings.items()}


def words():
    """The texts of the models: a language to a table of keys and texts (Sources/MusterApp/Words)."""
    tables = {language: {} for language in languages}
    named = dict(zip(("english", "spanish", "japanese", "chinese"), languages))
    for file in sorted((root / "Sources/MusterApp/Words").glob("Words+*.swift")):
        for name, text in re.findall(r'static let ([a-z]+)\w* = """\n(.*?)\n +"""', file.read_text(), re.S):
            joined = re.sub(r" *\\\n *", " ", text)
            lines = [line.strip().split(" = ", 1) for line in joined.splitlines() if " = " in line]
            tables[named[name]] |= dict(lines)
    return tables


def settings(path):
    """The settings of an xcconfig file and of those that it includes."""
    found = {}
    for line in (apple / path).read_text().splitlines():
        line = line.split("//")[0].strip() if not line.startswith("MUSTER_SERVER") else line
        if line.startswith("#include"):
            found |= settings(pathlib.Path(path).parent / line.split('"')[1])
        elif "=" in line:
            name, value = line.split("=", 1)
            found[name.strip()] = value.strip()
    return found


class Project:
    """The project file, read by pbxproj."""

    def __init__(self):
        self.objects = XcodeProject.load(str(project_file)).objects
        self.version = XcodeProject.load(str(project_file)).objectVersion

    def of(self, kind):
        """The objects of a kind."""
        return list(self.objects.get_objects_in_section(kind))

    def paths(self):
        """The path of each file, folder and group below the folder of the project, by the object's id."""
        (project,) = self.of("PBXProject")
        found = {}

        def visit(identity, folder):
            item = self.objects[identity]
            if "sourceTree" in item and item.sourceTree == "BUILT_PRODUCTS_DIR":
                return
            path = folder / item.path if "path" in item else folder
            found[identity] = path
            for child in item.children if "children" in item else []:
                visit(child, path)

        visit(project.mainGroup, pathlib.Path("."))
        return found

    def folders(self):
        """The synchronised folders of each target, by the target's name."""
        paths = self.paths()
        return {
            target.name: [paths[group] for group in target.fileSystemSynchronizedGroups]
            for target in self.of("PBXNativeTarget")}

    def configuration_files(self):
        """The xcconfig file of each configuration: (owner, configuration, path)."""
        paths = self.paths()
        for owner in self.of("PBXProject") + self.of("PBXNativeTarget"):
            name = owner.name if "name" in owner else "project"
            for identity in self.objects[owner.buildConfigurationList].buildConfigurations:
                configuration = self.objects[identity]
                yield name, configuration.name, paths[configuration.baseConfigurationReference]
