/** The keys of the app that end in what the code says: tabs, sources of a state, those who see, versions, outcomes. */
import { tabs } from "../../../Web/me/frame/tabs.js";
import { sources } from "../../../Web/me/status/statuswords.js";
import { kinds, pauseMinutes, roles } from "../../../Web/me/visible/viewers.js";

export default {
    "me.app.": tabs, "me.app.version.": ["none", "kept", "ready", "failed", "unsupported"],
    "me.status.source.": [...sources], "me.visible.": roles, "me.visible.link.": [...kinds],
    "me.visible.minutes": pauseMinutes,
    "me.area.": ["denied", "failed"],
    "me.area.ended.": [
        "complete", "completeBut", "full", "tooLarge", "unanswered", "gone", "busy", "denied", "failed",
    ],
    "me.way.by.": ["compass", "walk", "north"],
    "me.way.turn.": [
        "ahead", "aheadRight", "right", "behindRight", "behind", "behindLeft", "left", "aheadLeft",
    ],
};
