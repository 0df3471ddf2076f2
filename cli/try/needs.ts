import {
  CONTAINER_ENGINES,
  type ContainerEngine,
  LOCAL_CLUSTER_TOOLS,
  type LocalClusterTool,
  localClusterTool,
} from "../../catalog/local-clusters";
import type { CpuArchitecture } from "../../catalog/shapes";
import { OLDEST_PULUMI } from "../../names/oldest-pulumi";
import { type CommandPlace, captured, type Ended } from "./run-command";

/** Total for containers. */
export interface EngineSize {
  readonly vcpus: number;
  readonly memoryGiB: number;
  readonly cpuArch: CpuArchitecture;
}

export interface Tools {
  readonly tool: LocalClusterTool;
  readonly engine: ContainerEngine;
  readonly size: EngineSize;
}

/** A required program, or alternatives. */
export interface Need {
  readonly what: string;
  readonly found: string;
  /** Fix. Undefined: present. */
  readonly remedy?: string;
}

export interface Needs {
  readonly needs: readonly Need[];
  /** Undefined while something is missing. */
  readonly tools: Tools | undefined;
}

/** Runs a program; tests replace it. */
export type Ask = (command: string, args: readonly string[]) => Promise<Ended>;

export const askOnPath =
  (place: CommandPlace): Ask =>
  (command, args) =>
    captured(command, args, place);

/** CPUs, bytes of memory, and architecture for containers. */
const SIZE: Readonly<Record<ContainerEngine, string>> = {
  docker: "{{.NCPU}} {{.MemTotal}} {{.Architecture}}",
  podman: "{{.Host.CPUs}} {{.Host.MemTotal}} {{.Host.Arch}}",
};

const INSTALL: Readonly<Record<ContainerEngine | "pulumi" | "kubectl", string>> = {
  docker: "https://docs.docker.com/engine/install",
  podman: "https://podman.io/docs/installation",
  pulumi: "https://www.pulumi.com/docs/install",
  kubectl: "https://kubernetes.io/docs/tasks/tools",
};

const ARCHITECTURES: Readonly<Record<string, CpuArchitecture>> = {
  x86_64: "amd64",
  amd64: "amd64",
  aarch64: "arm64",
  arm64: "arm64",
};

/**
 * Checks all prerequisites of a trial in parallel.
 *
 * @param wanted tool to use; by default the first that works.
 */
export async function findNeeds(ask: Ask, wanted?: LocalClusterTool): Promise<Needs> {
  const [pulumi, kubectl, engines, tools] = await Promise.all([
    ask("pulumi", ["version"]),
    ask("kubectl", ["version", "--client"]),
    Promise.all(CONTAINER_ENGINES.map((engine) => askEngine(ask, engine))),
    Promise.all(
      LOCAL_CLUSTER_TOOLS.filter((tool) => wanted === undefined || tool === wanted).map((tool) => askTool(ask, tool)),
    ),
  ]);
  const running = engines.flatMap(({ engine, size }) => (size ? [{ engine, size }] : []));
  const usable = tools.flatMap(({ tool, isUsable }) => (isUsable ? [tool] : []));
  const [pair] = usable.flatMap((tool) =>
    running.flatMap((each) => (localClusterTool(tool).engines.includes(each.engine) ? [{ tool, ...each }] : [])),
  );
  const needs = [
    programNeed("pulumi", pulumi, tooOld(pulumi, OLDEST_PULUMI)),
    programNeed("kubectl", kubectl),
    engineNeed(engines),
    toolNeed(
      tools,
      usable,
      pair,
      running.map(({ engine }) => engine),
    ),
  ];
  return { needs, tools: needs.every(({ remedy }) => remedy === undefined) ? pair : undefined };
}

function programNeed(what: "pulumi" | "kubectl", { status, out }: Ended, oldest?: string): Need {
  if (status === undefined) {
    return { what, found: "not on the PATH", remedy: `install it: ${INSTALL[what]}` };
  }
  const found = firstLine(out) || "there";
  return oldest === undefined
    ? { what, found }
    : { what, found, remedy: `upgrade it to ${oldest} or later: ${INSTALL[what]}` };
}

interface AskedEngine {
  readonly engine: ContainerEngine;
  readonly isThere: boolean;
  /** Undefined without an answer. */
  readonly size?: EngineSize;
}

async function askEngine(ask: Ask, engine: ContainerEngine): Promise<AskedEngine> {
  const { status, out } = await ask(engine, ["info", "--format", SIZE[engine]]);
  const size = status === 0 ? sizeIn(out) : undefined;
  return { engine, isThere: status !== undefined, ...(size && { size }) };
}

/** Memory in tenths of a GiB, rounded down. */
export function sizeIn(text: string): EngineSize | undefined {
  const [cpus, bytes, machine = ""] = text.trim().split(/\s+/);
  const vcpus = Number(cpus);
  const memoryGiB = Math.floor((Number(bytes) / 2 ** 30) * 10) / 10;
  const cpuArch = ARCHITECTURES[machine];
  return Number.isInteger(vcpus) && vcpus > 0 && memoryGiB >= 1 && cpuArch ? { vcpus, memoryGiB, cpuArch } : undefined;
}

function engineNeed(engines: readonly AskedEngine[]): Need {
  const what = CONTAINER_ENGINES.join(" or ");
  const running = engines.filter(({ size }) => size);
  if (running.length > 0) {
    return { what, found: running.map(({ engine, size }) => `${engine}, ${sizeText(size)}`).join("; ") };
  }
  const there = engines.filter(({ isThere }) => isThere).map(({ engine }) => engine);
  return there.length > 0
    ? {
        what,
        found: `${there.join(" and ")} there, but not answering`,
        remedy: `start ${there[0]}, and see that you may use it: ${there[0]} info`,
      }
    : {
        what,
        found: "neither is on the PATH",
        remedy: `install one: ${CONTAINER_ENGINES.map((engine) => INSTALL[engine]).join(" or ")}`,
      };
}

function sizeText(size: EngineSize | undefined): string {
  return size ? `${size.vcpus} CPUs, ${size.memoryGiB} GiB, ${size.cpuArch}` : "";
}

interface AskedTool {
  readonly tool: LocalClusterTool;
  readonly version: string | undefined;
  readonly isThere: boolean;
  readonly isUsable: boolean;
}

async function askTool(ask: Ask, tool: LocalClusterTool): Promise<AskedTool> {
  const answer = await ask(tool, ["version"]);
  const isThere = answer.status !== undefined;
  const isUsable = isThere && answer.status === 0 && tooOld(answer, localClusterTool(tool).oldest) === undefined;
  return { tool, version: numbersIn(answer.out)?.join("."), isThere, isUsable };
}

function toolNeed(
  tools: readonly AskedTool[],
  usable: readonly LocalClusterTool[],
  pair: { readonly tool: LocalClusterTool } | undefined,
  running: readonly ContainerEngine[],
): Need {
  const what = tools.map(({ tool }) => tool).join(" or ");
  const there = tools.filter(({ isThere }) => isThere);
  const found = there.map(({ tool, version = "of an unknown version" }) => `${tool} ${version}`).join("; ");
  if (pair || (usable.length > 0 && running.length === 0)) {
    return { what, found };
  }
  if (usable.length > 0) {
    const wanted = usable.map((tool) => `${tool} works with ${localClusterTool(tool).engines.join(" or ")}`);
    return {
      what,
      found: `${found}: ${wanted.join(", ")}`,
      remedy: `start ${localClusterTool(usable[0] ?? "k3d").engines[0]}, or install kind: ${localClusterTool("kind").install}`,
    };
  }
  const named = tools.map(({ tool }) => localClusterTool(tool));
  return {
    what,
    found: there.length === 0 ? (tools.length > 1 ? "neither is on the PATH" : "not on the PATH") : found,
    remedy: `install ${named.map(({ name, oldest, install }) => `${name} ${oldest} or later: ${install}`).join(", or ")}`,
  };
}

/** The required version, if a program's is older. Unreadable ones pass. */
function tooOld({ out }: Pick<Ended, "out">, oldest: string): string | undefined {
  const [have, want] = [numbersIn(out), numbersIn(oldest)];
  if (have === undefined || want === undefined) {
    return undefined;
  }
  const [difference = 0] = have.map((number, i) => number - (want[i] ?? 0)).filter((each) => each !== 0);
  return difference < 0 ? oldest : undefined;
}

function numbersIn(text: string): readonly [number, number, number] | undefined {
  const { major, minor, patch } = /\bv?(?<major>\d+)\.(?<minor>\d+)\.(?<patch>\d+)/.exec(text)?.groups ?? {};
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}

/** Present prerequisites, and fixes for missing ones. */
export function needsText(needs: readonly Need[]): string {
  const width = Math.max(...needs.map(({ what }) => what.length));
  return needs
    .map(({ what, found, remedy }) => {
      const line = `  ${remedy === undefined ? "✓" : "✗"} ${what.padEnd(width)}  ${found}\n`;
      return remedy === undefined ? line : `${line}    ${" ".repeat(width)}  ${remedy}\n`;
    })
    .join("");
}
