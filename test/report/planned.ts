import { judge } from "../../report/judge";
import { toJson } from "../../report/result";
import { planText } from "../stacks/planned";
import { environmentText, type Sections } from "../stacks/texts";

/** What `plan --json` prints, but that no program runs: it has no resources, which policies could object to. */
export async function planDocument(sections: Sections, baseDirectory: string) {
  const run = await planText(environmentText(sections), baseDirectory);
  return printed({ ...run, recording: { resources: [], outputs: {} } });
}

/** What `plan --json` prints of a run. */
export function printed(run: Parameters<typeof judge>[0]) {
  return JSON.parse(JSON.stringify(toJson({ ...judge(run), seconds: 1 })));
}
