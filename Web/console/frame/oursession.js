/** The session of this page: of the form that it opens with, and of the console itself. */
import { Session } from "../shared/session.js";

export const session = new Session();
