/** What happened, and the replay of any hour. */
import { isUnanswered } from "../shared/faults.js";
import { emptyState } from "../shared/state.js";
import { html, useEffect, useMemo, usePage, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { EventList } from "./eventlist.js";
import { wantedOf } from "./range.js";
import { Replay } from "./replay.js";
import { ReplayChoice, useTeams } from "./replaychoice.js";

/** The most teams whose incidents are read. */
const teamLimit = 50;
const retryMs = 3000;

/** @param {{rest: string[]}} properties what follows the screen's name in the address */
export function Screen({ rest }) {
    const isLoaded = useSlice(({ live }) => live !== emptyState);
    return isLoaded ? html`<${Timeline} rest=${rest} />` : html`<p role="status">${t("screens.loading")}</p>`;
}

function Timeline({ rest }) {
    const key = rest.join("/");
    const wanted = useMemo(() => wantedOf(rest), [key]);
    const incidents = useIncidents();
    return html`<div class="timeline" data-replay=${wanted.kind === "none" ? undefined : ""}>
        <${EventList} incidents=${incidents} />
        <section class="replay-side">
            ${wanted.kind === "none" ? html`<${ReplayChoice} incidents=${incidents} />`
            : html`<${Replay} key=${key} wanted=${wanted} incidents=${incidents} />`}
        </section>
    </div>`;
}

/** All incidents of the teams that this user sees, the newest first; undefined until they are here. */
function useIncidents() {
    const { request } = usePage();
    const { open, closed } = useSlice(({ live }) => ({ open: live.incidents, closed: live.closed }));
    const teams = useTeams();
    const [stored, setStored] = useState();
    useEffect(() => {
        let timer;
        let isGone = false;
        const load = () => Promise.all(teams.slice(0, teamLimit).map((team) => incidentsOf(request, team))).then(
            (found) => { if (!isGone) { setStored(found.flat()); } },
            () => { if (!isGone) { timer = setTimeout(load, retryMs); } });
        load();
        return () => { isGone = true; clearTimeout(timer); };
    }, [teams.join()]);
    return useMemo(() => {
        if (!stored) { return undefined; }
        const all = new Map(stored.map((incident) => [incident.number, incident]));
        for (const incident of [...closed.values(), ...open.values()]) { all.set(incident.number, incident); }
        return [...all.values()].sort((left, right) => right.number - left.number);
    }, [stored, open, closed]);
}

/** Empty for a team whose incidents the user may not read. @throws {TypeError} where the server does not answer */
async function incidentsOf(request, team) {
    try {
        const answer = await request(`teams/${encodeURIComponent(team)}/incidents?limit=1000`);
        return (await answer.json()).items;
    } catch (error) {
        if (isUnanswered(error)) { throw error; }
        return [];
    }
}
