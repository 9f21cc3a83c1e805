/** The way to the nearest assembly point: its length, its direction, and how sure both are. */
import { lengthWords } from "../../console/shared/length.js";
import { legible } from "../../console/shared/text.js";
import {
    html, useLayoutEffect, useMemo, useNow, usePage, useRef, useSlice, useState,
} from "../../console/shared/view.js";
import { around, listed, t } from "../../console/shared/words.js";
import { Arrow } from "./arrow.js";
import { assemblyPoints, nearestFirst, wayToShow } from "./assembly.js";
import { Compass } from "./compass.js";
import { headingNow } from "./heading.js";
import { Here } from "./here.js";
import { MapFrame } from "./mapframe.js";
import { planeMeasure } from "./planemeasure.js";
import {
    accuracyWords, bearingOf, headingWords, isOld, isReading, nothingWords, oldWords, standingOf, standingWords,
    turnWords, windWords,
} from "./waywords.js";

/** The number of assembly points listed at first. */
const listedFirst = 8;
const mostListed = 100;

export function Panel() {
    const page = usePage();
    const { own, linked, fix: tracked, here, guess, tracking, compass } = useSlice(
        ({ own, linked, fix, here, guess, tracking, compass }) =>
            ({ own, linked, fix, here, guess, tracking, compass }));
    // A tracker that has ended leaves its last place in the store.
    const fix = here?.sampleTime > (tracked?.isStale === false ? Infinity : tracked?.sampleTime ?? 0) ? here : tracked;
    const [chosen, setChosen] = useState();
    const [limit, setLimit] = useState(listedFirst);
    const listener = useCompass(page.store);
    const reader = useHere(page);
    const shown = useRef();
    const collections = own?.collections ?? linked?.collections;
    const points = useMemo(() => assemblyPoints(own && { ...own, collections }), [own?.regions, collections]);
    const measure = page.measure ?? planeMeasure;
    const wanted = useMemo(() => {
        const ways = fix ? nearestFirst(points, fix, measure, limit + 1) : [];
        return withChosen(ways, points, chosen, fix, measure);
    }, [points, fix, limit, measure, chosen]);
    const way = wayToShow(wanted, { chosen, shown: shown.current, accuracyMetres: fix?.accuracy });
    shown.current = way?.point.key;
    const nothing = nothingWords({ own, points, fix, here, tracking });
    const mayRead = (!fix || (fix.isStale && !isReading(tracking))) && !here && points.length > 0
        && tracking?.state !== "denied";
    return html`<section class="card way" aria-labelledby="way-title">
        <h2 id="way-title">${t("me.way.title")}</h2>
        ${own && !collections && points.length > 0
            && html`<p class="way-note">${t("me.way.notLinked")}</p>`}
        ${nothing && html`<p class="way-nothing" role="status">${nothing}</p>`}
        ${mayRead && html`<div class="way-deeds"><button type="button" class="primary" id="way-here"
            onClick=${() => reader.current?.begin()}>${t("me.way.find")}</button></div>`}
        ${way && html`<${Way} way=${way} fix=${fix} guess=${guess} compass=${compass}
            isChosen=${way.point.key === chosen} ask=${() => listener.current?.ask()}
            release=${() => setChosen(undefined)} />`}
        <${MapFrame} points=${points} way=${way} fix=${fix} />
        <${Points} points=${points} ways=${wanted} way=${way} limit=${limit} choose=${setChosen}
            more=${() => setLimit(mostListed)} />
    </section>`;
}

function Way({ way, fix, guess, compass, isChosen, ask, release }) {
    const now = useNow();
    const isStale = isOld(fix, now);
    const standing = standingOf(way, fix, guess);
    const heading = headingNow({ compass, fix });
    const bearing = standing === "inside" ? undefined : bearingOf(way, fix);
    const [before, after] = around("me.way.straight", "length");
    const sentence = standingWords(standing, way, isStale);
    const direction = bearing !== undefined && listed([
        windWords(bearing), heading.by !== "north" && turnWords(bearing, heading.degrees)]);
    return html`<div class=${isStale ? "way-told is-old" : "way-told"} data-standing=${standing}>
        <${Arrow} bearing=${bearing} heading=${heading.degrees} isUnsure=${isStale || standing !== "away"} />
        <div class="way-words">
            <p id="way-point" class="way-point">${legible(way.point.name)}</p>
            ${way.isInside ? undefined : html`<p id="way-distance" class="way-distance">${before}<strong>${
                lengthWords(way.metres)}</strong>${after}</p>`}
            ${direction && html`<p id="way-direction" class="way-direction">${direction}</p>`}
        </div>
    </div>
    <p id="way-standing" class="way-standing" role="status" data-standing=${standing}>${sentence}</p>
    <p id="way-old" class="way-old" hidden=${!isStale}>${oldWords(fix, now)}</p>
    <p id="way-accuracy" class="quiet">${accuracyWords(fix)}</p>
    ${bearing !== undefined && html`<p id="way-heading" class="quiet">${headingWords(heading, compass)}</p>`}
    ${(compass?.state === "asks" || isChosen) && html`<div class="way-deeds">
        ${compass?.state === "asks" && html`<button type="button" class="plain" id="way-compass" onClick=${ask}>${
            t("me.way.useCompass")}</button>`}
        ${isChosen && html`<button type="button" class="plain" id="way-nearest" onClick=${release}>${
            t("me.way.nearest")}</button>`}
    </div>`}`;
}

/** The other assembly points. A press shows the way to one of them, because the nearest may be on fire. */
function Points({ points, ways, way, limit, choose, more }) {
    const others = ways.filter(({ point }) => point !== way?.point).slice(0, limit);
    const unmeasured = ways.length > 0 ? [] : points;
    if (others.length + unmeasured.length === 0) { return undefined; }
    const isMore = limit < mostListed && points.length > limit + 1;
    return html`<h3 id="way-others">${t(way ? "me.way.others" : "me.way.all")}</h3>
        <ul class="way-points" aria-labelledby="way-others">
            ${others.map((other) => html`<li key=${other.point.key}><button type="button"
                onClick=${() => choose(other.point.key)}>
                <span class="name">${legible(other.point.name)}</span>
                <span class="how">${other.isInside ? t("me.way.here") : listed([
                    lengthWords(other.metres), windWords(other.bearingDegrees)])}</span></button></li>`)}
            ${unmeasured.slice(0, limit).map((point) => html`<li key=${point.key} class="way-unmeasured">
                <span class="name">${legible(point.name)}</span></li>`)}
        </ul>
        ${isMore && html`<button type="button" class="plain" onClick=${more}>${t("me.way.more")}</button>`}`;
}

/** Adds the way to the chosen point, however far that point is. */
function withChosen(ways, points, chosen, fix, measure) {
    if (!fix || chosen === undefined || ways.some(({ point }) => point.key === chosen)) { return ways; }
    const point = points.find(({ key }) => key === chosen);
    return point ? [...ways, ...nearestFirst([point], fix, measure, 1)] : ways;
}

/** Listens to the compass while the way is shown. */
function useCompass(store) {
    const compass = useRef();
    useLayoutEffect(() => {
        compass.current = new Compass((told) => store.set({ compass: told }));
        compass.current.begin();
        return () => { compass.current.end(); store.set({ compass: undefined }); };
    }, []);
    return compass;
}

/** Reads the place for this panel alone, from the time the person wants it, as long as the panel is shown. */
function useHere({ store, serverNow }) {
    const reader = useRef();
    // At once: a press before the next frame must find it.
    useLayoutEffect(() => {
        reader.current = new Here(store, serverNow);
        return () => reader.current.end();
    }, []);
    return reader;
}
