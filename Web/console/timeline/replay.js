/** The replay of an hour, a day or an incident: who was where, and how, as the server has it. */
import { faultWords } from "../shared/faults.js";
import { Retry } from "../shared/forms.js";
import { hrefOf } from "../shared/route.js";
import { legible } from "../shared/text.js";
import { wholeTime } from "../shared/time.js";
import { html, useEffect, useLayoutEffect, useMemo, usePage, useRef, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Beside, Counts, Picked } from "./beside.js";
import { Controls } from "./controls.js";
import { groupValue, isOfGroup } from "./listedevents.js";
import { rangeOf, rangeOfIncident, restOf } from "./range.js";
import { incidentWords, TimeChoice, useTeams } from "./replaychoice.js";
import { ChunkReader, ReplayData } from "./replaydata.js";
import { Replayer } from "./replayer.js";
import { ReplayMap } from "./replaymap.js";
import { usersAt, useRollRecord, visitorsAt } from "./replayroll.js";
import { useDirectory } from "./usedirectory.js";

export function Replay({ wanted, incidents }) {
    const subject = useSubject(wanted, incidents);
    if (subject.fault) { return html`<p class="fault" role="alert">${subject.fault}</p><${Back} />`; }
    if (!subject.team) { return html`<p class="quiet" role="status">${t("list.loading")}</p>`; }
    return html`<${Player} subject=${subject} incidents=${incidents} wanted=${wanted} />`;
}

/**
 * What an address asks for, with what the server knows of it.
 * @returns {{team?: string, range?: object, ms?: number, incident?: object, fault?: string}}
 */
function useSubject(wanted, incidents) {
    const { request, serverNow } = usePage();
    const teams = useTeams();
    const [state, setState] = useState({});
    useEffect(() => {
        if (state.team || !incidents) { return; }
        if (wanted.kind === "at") {
            const range = rangeOf(wanted.ms, wanted.span, serverNow());
            setState(teams.length === 0 ? { fault: t("timeline.noTeam") }
                : { team: wanted.team ?? teams[0], range, ms: wanted.ms });
            return;
        }
        const take = (incident) => {
            const range = rangeOfIncident(incident, serverNow());
            setState({ team: incident.team, range, ms: Date.parse(incident.startedAt), incident });
        };
        const known = incidents.find(({ number }) => number === wanted.number);
        if (known) { take(known); return; }
        request(`incidents/${wanted.number}`).then((response) => response.json())
            .then(take, (error) => setState({ fault: faultWords(error) }));
    }, [incidents, teams.length > 0]);
    return state;
}

function Back() {
    return html`<a class="plain back" href=${hrefOf("timeline")}>${t("timeline.back")}</a>`;
}

function Player({ subject, incidents, wanted }) {
    const { team, range, incident } = subject;
    const [shown, setShown] = useState();
    const [picked, pick] = useState();
    const [crew, setCrew] = useState("");
    const clock = useClock(range);
    const replayer = useReplayer(subject, incidents, setShown, clock.tell);
    const members = useDirectory();
    const { record, isUnreadable } = useRollRecord(incident?.number);
    // They are in no crew.
    const visitors = useMemo(() => (crew === "" && shown && record ? visitorsAt(record.visitors, shown.ms, team) : []),
        [record, shown?.ms, crew]);
    const onRoll = useMemo(() => (shown && record ? usersAt(record.people, shown.ms) : new Set()), [record, shown?.ms]);
    // What is missing may be what would tell that somebody was in the team by then.
    const isSure = shown?.gaps.length === 0 && (incident === undefined || record !== undefined);
    const chooseCrew = (value) => {
        setCrew(value);
        replayer.current.choose(team, (user) => isOfGroup(value, members.get(user)));
    };
    const isEmpty = shown && !shown.isWaiting && !shown.fault
        && ![...shown.live.members.values()].some(({ positions }) => positions.size > 0);
    return html`<section class="replay" aria-label=${t("timeline.replay")}>
        <div class="replay-banner"><p><strong>${t("timeline.replayOf")} <time ref=${clock.words}></time></strong>
            <span>${incident ? incidentWords(incident) : legible(team)}</span></p>
            <p>${t("timeline.notNow")}</p><${Back} /></div>
        <p class="replay-state" role="status" data-is-waiting=${!shown || shown.isWaiting ? "" : undefined}>${
            stateWords(shown, isEmpty)}</p>
        ${shown?.fault && html`<${Retry} words=${faultWords(shown.fault)} again=${() => replayer.current.retry()} />`}
        <${Controls} replayer=${replayer} range=${range} slider=${clock.slider} shown=${shown} />
        <${Counts} live=${shown?.live} visitors=${visitors} onRoll=${onRoll} isSure=${isSure} />
        ${isUnreadable && html`<p id="replay-no-record" class="fault" role="alert">${t("timeline.noRecord")}</p>`}
        <div class="replay-place">
            <${ReplayMap} live=${shown?.live} picked=${picked} pick=${pick} />
            <div class="replay-beside">
                <${Picked} live=${shown?.live} user=${picked} ms=${shown?.ms} />
                <${Beside} shown=${shown} team=${team} incidents=${incidents} range=${range}
                    goTo=${(ms, user) => { replayer.current.seek(ms); if (user) { pick(user); } }} />
            </div>
        </div>
        <${Crews} team=${team} crew=${crew} choose=${chooseCrew} />
        ${wanted.kind === "at" && html`<${Neighbours} wanted=${wanted} range=${range} team=${team} />`}
        <details class="elsewhere"><summary>${t("timeline.elsewhere")}</summary>
            <${TimeChoice} ms=${range.fromMs} span=${wanted.span} team=${team} /></details>
        <p>${t("timeline.keys")} ${t("timeline.asOfToday")}</p>
    </section>`;
}

/** What is missing, or on its way. */
function stateWords(shown, isEmpty) {
    if (!shown || shown.isWaiting) { return t("timeline.waiting"); }
    const gaps = shown.gaps.length > 0 ? t("timeline.gaps", { gaps: shown.gaps.join(" ") }) : "";
    return [isEmpty && t("timeline.nobody"), gaps].filter(Boolean).join(" ");
}

/** The clock and the slider, which follow the time without the rest being drawn. */
function useClock(range) {
    const words = useRef();
    const slider = useRef();
    const tell = useMemo(() => {
        let second;
        return (ms) => {
            const now = Math.floor(ms / 1000);
            if (now === second) { return; }
            second = now;
            const text = wholeTime(ms);
            if (words.current) {
                words.current.textContent = text;
                words.current.dateTime = new Date(ms).toISOString();
            }
            if (slider.current) {
                slider.current.value = String((ms - range.fromMs) / 1000);
                slider.current.setAttribute("aria-valuetext", text);
            }
        };
    }, [range]);
    return { words, slider, tell };
}

function useReplayer({ team, range, ms }, incidents, setShown, tell) {
    const { request, store } = usePage();
    const known = useRef();
    known.current = incidents.filter((incident) => incident.team === team);
    const replayer = useRef();
    // At once: the controls that are drawn with it use it.
    useLayoutEffect(() => {
        const reader = new ChunkReader(request);
        const data = new ReplayData({
            range, load: (fromMs, toMs, signal) => reader.read(team, fromMs, toMs, signal),
            report: () => replayer.current.refresh(),
        });
        replayer.current = new Replayer({
            range, ms, team, data, tell, report: setShown,
            surroundings: () => {
                const { alwaysShown, regions } = store.value.live;
                return { incidents: known.current, alwaysShown, regions };
            },
        });
        replayer.current.refresh();
        return () => { replayer.current.end(); reader.end(); };
    }, []);
    return replayer;
}

function Crews({ team, crew, choose }) {
    const members = useDirectory();
    const crews = useMemo(() => [...new Set([...members.values()].filter((member) => member.team === team)
        .map((member) => member.crew))].filter(Boolean).sort(), [members, team]);
    if (crews.length === 0) { return undefined; }
    return html`<p class="replay-crews"><label for="replay-crew">${t("timeline.group")}</label>
        <select id="replay-crew" value=${crew} onChange=${({ currentTarget }) => choose(currentTarget.value)}>
            <option value="">${t("timeline.wholeTeam")}</option>
            ${crews.map((name) => html`<option key=${name} value=${groupValue(team, name)}>${legible(name)}</option>`)}
        </select></p>`;
}

/** The hour or the day before, and after. */
function Neighbours({ wanted: { span }, range, team }) {
    const { serverNow } = usePage();
    const to = (ms) => hrefOf("timeline", ...restOf({ kind: "at", ms, span, team }));
    const before = rangeOf(range.fromMs - 1, span, Infinity).fromMs;
    const after = rangeOf(range.fromMs, span, Infinity).toMs;
    return html`<p class="neighbours"><a class="plain" href=${to(before)}>${t(`timeline.before.${span}`)}</a>
        ${after < serverNow() && html`<a class="plain" href=${to(after)}>${t(`timeline.after.${span}`)}</a>`}
    </p>`;
}
