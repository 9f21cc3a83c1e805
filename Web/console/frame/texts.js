/** The texts of the console's pages, which the member's app does not load. Each page of the console imports this. */
import { addEnglish } from "../shared/words.js";
import english from "./words/en.js";

addEnglish("frame", english);
