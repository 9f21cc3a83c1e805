/** The arrow in its ring, which shows where to go and where north is. The words beside it say the same. */
import { html, useRef } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";
import { continued } from "./heading.js";

/**
 * @param {{bearing?: number, heading: number, isUnsure: boolean}} properties degrees clockwise from north; without a
 *     bearing the arrow is left out, and only north is shown
 */
export function Arrow({ bearing, heading, isUnsure }) {
    const ring = useAngle(-heading);
    const angle = useAngle(bearing === undefined ? 0 : bearing - heading);
    return html`<svg class="way-arrow" viewBox="-60 -60 120 120" aria-hidden="true" focusable="false">
        <circle r="47" class="ring" />
        <g style=${{ transform: `rotate(${ring}deg)` }} class="turning">
            <path class="north" d="M0 -47V-38" />
            <g transform="translate(0 -53)"><text class="north-name turning" y="4"
                style=${{ transform: `rotate(${-ring}deg)` }}>${t("me.way.n")}</text></g>
        </g>
        ${bearing !== undefined && html`<g style=${{ transform: `rotate(${angle}deg)` }} class="turning">
            <path class=${isUnsure ? "needle unsure" : "needle"} d="M0 -33L21 25L0 13L-21 25Z" />
        </g>`}
        ${bearing === undefined && html`<circle r="9" class="needle unsure" />`}
    </svg>`;
}

/** The angle to draw: it continues beyond a full turn, so that the arrow does not spin back all the way. */
function useAngle(degrees) {
    const drawn = useRef();
    drawn.current = continued(drawn.current, degrees);
    return Math.round(drawn.current);
}
