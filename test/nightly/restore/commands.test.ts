/** Every kubectl command of the runbook is one that the real kubectl and API server understand. */
import { describe, expect, it } from "vitest";
import { chartsWithCrds, installChartCrds } from "../../../rehearsal/cluster/chart-crds";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { runbookPage, shell, shellLines } from "./runbook-shell";

/** What stands for what an administrator fills in. */
const FILLED: Readonly<Record<string, string>> = { node: "worker-1", pod: "pod-0", number: "0" };
/** They need a kubelet, or stay open: no node here has one. */
const NEED_A_KUBELET = ["port-forward", "debug", "exec", "logs", "top", "wait"];
/** They change something: tried without doing it. */
const CHANGE = ["delete", "scale", "patch", "annotate", "taint", "label", "drain"];

interface Command {
  readonly line: string;
  readonly verb: string;
}

/** The commands of the page's blocks, and those of its sentences that name what they are about; each once. */
function commands(page: string): readonly Command[] {
  const inline = [...page.matchAll(/`(kubectl [^`]+)`/g)].map(([, text = ""]) => text);
  return [...commandsIn(shellLines(page)), ...commandsIn(inline).filter(({ verb }) => !NEED_A_KUBELET.includes(verb))];
}

function commandsIn(lines: readonly string[]): readonly Command[] {
  const parts = lines.flatMap((line) => line.split(/ \| | \|$| && |; | &$|xargs |\$\(|\{ /)).map((text) => text.trim());
  // What a pipe fills in is not here.
  const own = parts.filter((text) => text.startsWith("kubectl ") && !/\/dev\/stdin|"\$name"|delete secret$/.test(text));
  return [...new Set(own.map(filled))].flatMap((line) => {
    const verb = VERBS.find((each) => new RegExp(`^kubectl (-n \\S+ )?${each} `).test(line));
    return verb === undefined ? [] : [{ line: line.replace(/\)$/, ""), verb }];
  });
}

const VERBS = ["get", "describe", ...CHANGE, ...NEED_A_KUBELET];

function filled(line: string): string {
  return line.replace(/<([\w ]+)>/g, (_, name: string) => FILLED[name] ?? "assistant");
}

/** What kubectl and the API server say of a command that they do not understand. */
const MISUNDERSTOOD =
  /unknown|doesn't have a resource type|error: (?!no matching resources|Metrics API|error from server \(NotFound\))|invalid|unable to parse|BadRequest/i;

describe("the runbook's commands", { timeout: 600_000 }, () => {
  const plane = sharedBySuite(async () => {
    const started = await ControlPlane.start();
    for (const chart of [...chartsWithCrds(), "argo-cd"]) {
      await installChartCrds(started.client, chart);
    }
    return started;
  });
  const all = commands(runbookPage());
  const shown = all.filter(({ verb }) => verb === "get" || verb === "describe");
  const changing = all.filter(({ verb }) => CHANGE.includes(verb));
  const misunderstood = async (lines: readonly string[]): Promise<readonly string[]> => {
    const wrong: string[] = [];
    for (const line of lines) {
      const { output } = await shell(line, plane());
      if (MISUNDERSTOOD.test(output)) {
        wrong.push(`${line}: ${output.trim()}`);
      }
    }
    return wrong;
  };

  it("that show something name kinds, fields and options that exist", async () => {
    expect(shown.length).toBeGreaterThan(60);
    expect(await misunderstood(shown.map(({ line }) => line))).toEqual([]);
  });

  it("that change something are accepted as far as a dry run goes", async () => {
    expect(changing.length).toBeGreaterThan(10);
    expect(await misunderstood(changing.map(({ line }) => `${line} --dry-run=server`))).toEqual([]);
  });

  it("that need a kubelet have options that exist", async () => {
    const others = all.filter(({ verb }) => NEED_A_KUBELET.includes(verb)).map(({ line }) => line);
    expect(others.length).toBeGreaterThan(40);
    expect(await misunderstood(others.map((line) => line.replace(/ -- .*$/, " -- true")))).toEqual([]);
  });
});
