/** The server's figures as `/metrics` has them, in Prometheus' text format 0.0.4. Pure. */

/** A line of many that are of no use here: how long requests took, by route. */
const skipped = /^(#|muster_request|\w+_bucket)/;
const sample = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const labelled = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** @typedef {{name: string, labels: Record<string, string>, value: number}} Sample */

/** @returns {Sample[]} what can be read of a text; a line of another form is left out */
export function parseMetrics(text) {
    const samples = [];
    for (const line of String(text ?? "").split("\n")) {
        if (skipped.test(line)) { continue; }
        const [, name, labels = "", value] = sample.exec(line) ?? [];
        if (name === undefined || !Number.isFinite(Number(value))) { continue; }
        const named = Object.fromEntries([...labels.matchAll(labelled)].map(([, key, own]) => [key, own]));
        samples.push({ name, labels: named, value: Number(value) });
    }
    return samples;
}

/** The value of a metric; undefined where the server has none. @param {Record<string, string>} [labels] */
export function metric(samples, name, labels = {}) {
    return samples.find((each) => each.name === name
        && Object.entries(labels).every(([key, value]) => each.labels[key] === value))?.value;
}

/** The samples of a metric. */
export function samplesOf(samples, name) {
    return samples.filter((each) => each.name === name);
}
