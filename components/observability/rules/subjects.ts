import { gateway } from "./gateway";
import { gpu } from "./gpu";
import { models } from "./models";
import { platform } from "./platform";
import { quotas } from "./quotas";
import { serving } from "./serving";
import type { RuleSubject } from "./types";

/** Rules of what every platform has; add-ons bring theirs along. A new subject is one file and one row here. */
export const RULE_SUBJECTS: readonly RuleSubject[] = [models, serving, gpu, gateway, quotas, platform];
