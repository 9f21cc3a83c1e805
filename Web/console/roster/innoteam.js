/** Tells an admin that there are people in no team: no list, roll or leader would miss them. */
import { useReading } from "../shared/reading.js";
import { firstScreen, hrefOf } from "../shared/route.js";
import { html, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";

/** The most of them that are counted. */
const countLimit = 1000;

export function InNoTeam() {
    const { isAsked, people } = useSlice(({ user, connection, route, live }) => ({
        isAsked: user?.role === "admin" && connection.state === "live" && route.screen === firstScreen,
        people: live.members.size,
    }));
    // Read anew each time that somebody comes back to the list, and when a team gets or loses people.
    const { value } = useReading(isAsked ? `in no team ${people}` : undefined,
        (get) => get(`users?inNoTeam=true&limit=${countLimit}`));
    const count = value?.items.length ?? 0;
    if (count === 0) { return undefined; }
    return html`<p class="warning" id="in-no-team">${
        t(value.nextCursor ? "roster.inNoTeamMore" : "roster.inNoTeam", { count })}
        <a class="plain" href=${hrefOf("administration", "people", "//")}>${t("roster.inNoTeamShow")}</a></p>`;
}
