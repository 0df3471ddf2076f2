/** Worker that runs environments one by one: the Pulumi runtime keeps state in globals. */
import { runEnvironment } from "../../offline/environment";
import { judge } from "../../report/judge";
import { toJson } from "../../report/result";
import { ConfigError, parseEnvironmentFile } from "../../stacks/config";
import { isUserMistake } from "../../stacks/program";
import { expectedOf } from "../status/expected";
import type { Job, Outcome } from "./work";

/** Answers jobs until the parent is gone. */
export function serve(parent: NodeJS.Process): Promise<void> {
  return new Promise((done) => {
    parent.on("message", (job: Job) => {
      void outcomeOf(job).then((outcome) => parent.send?.(outcome));
    });
    parent.once("disconnect", done);
  });
}

/** Never throws: failures are reported. */
export async function outcomeOf({ task, name, text, fileName, baseDirectory }: Job): Promise<Outcome> {
  const file = parseEnvironmentFile(text);
  if (!file.ok) {
    return { kind: "problems", problems: file.problems };
  }
  try {
    const run = await runEnvironment({ name, file, fileName, baseDirectory });
    if (task === "expected") {
      const { provision, kubeContext } = run.environment.cluster;
      const cluster = { provision, ...(kubeContext !== undefined && { kubeContext }) };
      return { kind: "expected", expected: expectedOf(run), cluster };
    }
    const { resources, ...plan } = toJson({ ...judge(run), seconds: 0 });
    return { kind: "planned", plan, resources: resources.length, imports: file.imports };
  } catch (error) {
    if (error instanceof ConfigError) {
      return { kind: "problems", problems: error.problems };
    }
    if (isUserMistake(error)) {
      return { kind: "mistake", message: error.message };
    }
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { kind: "failed", message: `this is a bug in inference-stacks, please report it:\n${said}` };
  }
}
