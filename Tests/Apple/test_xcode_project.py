"""The Xcode project holds together: what Xcode would find missing only on a Mac is found here."""

import json
import re
import struct

import pytest

from xcode import Project, apple, catalog, languages, plist, project_file, root, settings, words

targets = {"Muster": "App", "MusterWidgets": "Widgets", "MusterNotifications": "Notifications"}


@pytest.fixture(scope="module")
def project():
    return Project()


def sources(folder="."):
    return {path: path.read_text() for path in sorted((apple / folder).rglob("*.swift"))}


def test_the_project_file_is_small_and_of_xcode_16(project):
    assert project.version == "77", "the format that knows synchronised folders"
    assert len(project_file.read_text().splitlines()) < 300
    assert {target.name for target in project.of("PBXNativeTarget")} == set(targets)


def test_every_path_of_the_project_exists(project):
    for path in project.paths().values():
        assert (apple / path).exists(), path
    (package,) = project.of("XCLocalSwiftPackageReference")
    assert (apple / package.relativePath / "Package.swift").resolve() == root / "Package.swift"
    products = set(re.findall(r'\.library\(name: "(\w+)"', (root / "Package.swift").read_text()))
    for product in project.of("XCSwiftPackageProductDependency"):
        assert product.productName in products, product.productName


def test_every_file_is_in_a_target_or_configures_one(project):
    folders = {folder for of_target in project.folders().values() for folder in of_target}
    listed = set(project.paths().values())
    for path in sorted(apple.rglob("*")):
        inside = path.relative_to(apple)
        if path.is_dir() or inside.parts[0] == project_file.parent.name:
            continue
        in_target = any(folder in inside.parents for folder in folders)
        assert in_target or inside in listed, f"{inside} is in no target"


def test_each_target_has_its_own_folder_and_begins_in_one_place(project):
    for name, folders in project.folders().items():
        assert targets[name] in {str(folder) for folder in folders}
        starts = [path for folder in folders for path, text in sources(folder).items() if "@main" in text]
        assert len(starts) == (0 if name == "MusterNotifications" else 1), (name, starts)
    principal = plist("Config/Notifications-Info.plist")["NSExtension"]["NSExtensionPrincipalClass"]
    name = principal.removeprefix("$(PRODUCT_MODULE_NAME).")
    assert any(f"class {name}: UNNotificationServiceExtension" in text for text in sources("Notifications").values())


def test_the_app_needs_apples_frameworks_and_this_package_alone(project):
    assert "XCRemoteSwiftPackageReference" not in project_file.read_text()
    products = {product.productName for product in project.of("XCSwiftPackageProductDependency")}
    stubs = {path.stem for path in (root / "Tests/Apple/Stubs").glob("*.swiftinterface")}
    imported = set(re.findall(r"^(?:public )?import (\w+)", "\n".join(sources().values()), re.M))
    assert imported <= stubs | products | {"Foundation"}, imported - stubs - products


def test_texts_grow_with_the_persons_size_and_sides_follow_the_direction_of_the_language():
    fixed = re.compile(r"\.system\(size:|\.fixedSize|(alignment|edges?): \.(left|right)\b")
    for path, text in sources().items():
        assert not fixed.search(text), path


def test_the_type_check_compiles_what_xcode_does(project):
    script = (root / "Scripts/apple-check").read_text()
    checked = {}
    for line in re.findall(r"^check_target (.+)$", script, re.M):
        name, *folders = line.split()
        checked[name] = set(folders)
    modules = {"Muster": settings("Config/App.xcconfig")["PRODUCT_MODULE_NAME"]}
    assert checked == {
        modules.get(name, name): {str(folder) for folder in folders} for name, folders in project.folders().items()}


def test_every_configuration_names_files_that_are_there(project):
    seen = set()
    for owner, configuration, path in project.configuration_files():
        found = settings(path)
        seen.add((owner, configuration))
        for name in "INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS":
            if owner != "project":
                assert (apple / found[name]).exists(), (owner, name)
    assert seen == {(owner, name) for owner in [*targets, "project"] for name in ("Debug", "Release")}


def test_the_project_asks_for_no_older_system_than_the_package_runs_on():
    version = re.search(r"\.iOS\(\.v(\d+)\)", (root / "Package.swift").read_text())[1]
    assert settings("Config/Project.xcconfig")["IPHONEOS_DEPLOYMENT_TARGET"] == f"{version}.0"


def test_every_variable_in_a_property_list_is_a_setting():
    known = {
        "DEVELOPMENT_LANGUAGE", "EXECUTABLE_NAME", "PRODUCT_BUNDLE_IDENTIFIER", "PRODUCT_NAME", "PRODUCT_MODULE_NAME",
        "PRODUCT_BUNDLE_PACKAGE_TYPE"}
    for configuration in "Debug", "Release":
        known |= set(settings(f"Config/{configuration}.xcconfig"))
    for path in [*apple.glob("Config/*.plist"), *apple.glob("Config/*.entitlements")]:
        plist(path)
        assert set(re.findall(r"\$\((\w+)\)", path.read_text())) <= known, path.name


# What needs a purpose string: a word of the sources, and the keys of Info.plist.
purposes = {
    "CoreLocationSource": ["NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription"],
    "DataScannerViewController": ["NSCameraUsageDescription"],
    "CoreLocationBeacons": ["NSBluetoothAlwaysUsageDescription"],
    "NearbyInteraction": ["NSNearbyInteractionUsageDescription"],
}


def test_every_purpose_is_stated_in_four_languages():
    info = plist("Config/App-Info.plist")
    stated = {key: text for key, text in info.items() if re.fullmatch(r"NS\w+UsageDescription", key)}
    for word, keys in purposes.items():
        if any(word in text for text in sources("App").values()):
            assert set(keys) <= set(stated), word
    translated = catalog("App/InfoPlist.xcstrings")
    assert set(translated) == set(stated)
    for key, texts in translated.items():
        assert set(texts) == set(languages), key
        assert texts["en"]["value"] == stated[key]
        assert len({text["value"] for text in texts.values()}) == len(languages), f"{key} is not translated"


def test_what_the_code_names_is_declared():
    info = plist("Config/App-Info.plist")
    everything = "\n".join(sources().values())
    schemes = set(re.findall(r'"(\w+)://', everything)) - {"https", "http"}
    assert schemes <= set(info["CFBundleURLTypes"][0]["CFBundleURLSchemes"])
    assert info["NSSupportsLiveActivities"] is True
    assert {"location", "remote-notification", "fetch"} <= set(info["UIBackgroundModes"])
    permitted = info["BGTaskSchedulerPermittedIdentifiers"]
    for suffix in re.findall(r'taskSuffix = "(\.\w+)"', everything):
        assert f"$(MUSTER_BUNDLE_ID){suffix}" in permitted
    for key in re.findall(r'fullAccuracyPurposeKey = "(\w+)"', everything):
        assert key in info["NSLocationTemporaryUsageDescriptionDictionary"]
    service = re.search(r'serviceType = "([^"]+)"', "\n".join(
        path.read_text() for path in (root / "Sources/MusterNearby").rglob("*.swift")))[1]
    assert info["NSBonjourServices"] == [service]


def test_the_app_and_its_extensions_share_one_group():
    key = "com.apple.security.application-groups"
    groups = [plist(f"Config/{folder}.entitlements").get(key) for folder in targets.values()]
    assert groups == [["$(MUSTER_APP_GROUP)"]] * 3
    for folder in targets.values():
        assert plist(f"Config/{folder}-Info.plist")["MusterAppGroup"] == "$(MUSTER_APP_GROUP)"


def test_the_privacy_manifest_gives_a_reason_for_what_the_code_uses():
    manifest = plist("App/PrivacyInfo.xcprivacy")
    reasons = {entry["NSPrivacyAccessedAPIType"] for entry in manifest["NSPrivacyAccessedAPITypes"]}
    if any("UserDefaults" in text for text in sources().values()):
        assert "NSPrivacyAccessedAPICategoryUserDefaults" in reasons
    assert manifest["NSPrivacyTracking"] is False
    collected = {entry["NSPrivacyCollectedDataType"] for entry in manifest["NSPrivacyCollectedDataTypes"]}
    assert "NSPrivacyCollectedDataTypePreciseLocation" in collected


def test_the_icon_is_opaque_and_of_the_size_that_the_catalog_says():
    folder = apple / "App/Assets.xcassets/AppIcon.appiconset"
    (image,) = json.loads((folder / "Contents.json").read_text())["images"]
    icon = (folder / image["filename"]).read_bytes()
    assert icon.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, _, color = struct.unpack(">IIBB", icon[16:26])
    assert f"{width}x{height}" == image["size"] == "1024x1024"
    assert color == 2, "an icon has no transparency"
    for contents in apple.rglob("Contents.json"):
        json.loads(contents.read_text())


def test_the_string_catalog_has_what_the_system_reads_with_the_models_words():
    everything = "\n".join(sources().values())
    named = set(re.findall(r'"((?:intent|widget)[A-Z]\w*)"', everything))
    texts = catalog("Shared/Localizable.xcstrings")
    assert set(texts) == named, "a title that the catalog lacks is shown as its key"
    tables = words()
    for key, by_language in texts.items():
        assert {language: text["value"] for language, text in by_language.items()} == {
            language: tables[language][key] for language in languages}, key


def test_the_models_have_every_word_in_four_languages():
    keys = re.findall(r"\w+", " ".join(re.findall(
        r"^    case (.+)$", (root / "Sources/MusterApp/Words/Word.swift").read_text(), re.M)))
    for language, table in words().items():
        lacking = [key for key in keys if key not in table and f"{key}.other" not in table]
        assert not lacking, (language, lacking)


def test_the_spoken_phrases_name_the_app_in_four_languages():
    everything = "\n".join(sources("App").values())
    phrases = catalog("App/AppShortcuts.xcstrings")
    assert phrases
    for key, by_language in phrases.items():
        assert set(by_language) == set(languages), key
        for text in by_language.values():
            for phrase in text["values"]:
                assert "${applicationName}" in phrase, f"Siri hears no phrase without the app's name: {phrase}"
        source = key.replace("${applicationName}", r"\(.applicationName)").replace("${person}", r"\(\.$person)")
        assert source in everything, f"no intent says {key}"


# Stubs whose heads name the headers or the part of the documentation that they are made from.
whole = {"Darwin", "Security"}


@pytest.mark.parametrize("stub", sorted(
    path.stem for path in (root / "Tests/Apple/Stubs").glob("*.swiftinterface") if path.stem not in whole))
def test_each_type_of_a_stub_names_its_page_of_apples_documentation(stub):
    lines = (root / f"Tests/Apple/Stubs/{stub}.swiftinterface").read_text().splitlines()
    lacking = []
    for index, line in enumerate(lines):
        found = re.match(
            r"(?:@\w+(?:\(\w+\))? )*(?:public|open) (?:final )?(?:class|struct|enum|protocol|actor) (\w+)", line)
        if not found or found[1].startswith("_"):
            continue
        above = index - 1
        while re.match(r"@|///", lines[above]):
            above -= 1
        if not re.match(r"// [a-z]+/[a-z]", lines[above]):
            lacking.append(found[1])
    assert not lacking, lacking
