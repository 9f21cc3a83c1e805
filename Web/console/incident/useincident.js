/** One incident as the server has it, asked for again when the feed tells that it changed. */
import { faultWords } from "../shared/faults.js";
import { useEffect, usePage, useRef, useSlice, useState } from "../shared/view.js";
import { withReport } from "./par.js";

/**
 * The shortest time between two reads, in milliseconds. A long roll takes long to send, so its reads are further apart.
 */
const leastMs = 1000;
const msAPerson = 1.5;
const longestMs = 20_000;

/**
 * @param {number} number
 * @returns {{incident: object|undefined, fault: string, isBusy: boolean, reload: () => void,
 *     take: (response: Response) => Promise<void>}} `take` takes the incident of an answer, which comes without a roll
 */
export function useIncident(number) {
    const { request, serverNow } = usePage();
    const [state, setState] = useState({ isBusy: true, fault: "" });
    const change = useSlice(({ live }) => live.incidents.get(number) ?? live.closed.get(number));
    const isLive = useSlice(({ connection }) => connection.state === "live");
    const run = useRef({ count: 0, lastMs: -Infinity, people: 0, timer: undefined });
    const load = async () => {
        const { current } = run;
        clearTimeout(current.timer);
        current.timer = undefined;
        const own = ++current.count;
        current.lastMs = performance.now();
        setState((old) => ({ ...old, isBusy: true, fault: "" }));
        try {
            const incident = await (await request(`incidents/${number}`)).json();
            if (own !== current.count) { return; }
            current.people = incident.roll?.length ?? 0;
            setState({ incident, isBusy: false, fault: "" });
        } catch (error) {
            if (own === current.count) { setState((old) => ({ ...old, isBusy: false, fault: faultWords(error) })); }
        }
    };
    useEffect(() => {
        setState({ isBusy: true, fault: "" });
        load();
        return () => { run.current.count += 1; clearTimeout(run.current.timer); };
    }, [number]);
    useEffect(() => {
        if (!isLive || !state.incident) { return; }
        const { current } = run;
        const nowMs = serverNow();
        setState((old) => (old.incident && change
            ? { ...old, incident: withChange(old.incident, change, nowMs) } : old));
        const pauseMs = Math.min(longestMs, Math.max(leastMs, current.people * msAPerson));
        current.timer ??= setTimeout(load, Math.max(0, current.lastMs + pauseMs - performance.now()));
    }, [change, isLive]);
    const take = async (response) => {
        const answer = await response.json().catch(() => undefined);
        if (answer?.number !== number) { return; }
        setState((old) => (old.incident
            ? { ...old, incident: { ...old.incident, par: undefined, parTimer: undefined, ...answer } } : old));
    };
    return { ...state, reload: load, take };
}

/** What the feed tells of an incident, before it is read again: all of it but the roll and the PAR. */
function withChange(incident, { type, at, by, crews, ...change }, nowMs) {
    const { number, par } = incident;
    return { ...incident, ...change, number, par: withReport(par, { ...change, by }, nowMs) };
}
