import { stringify } from "yaml";
import type { ConfigProblem } from "../../../stacks/config";
import { type ParsedEnvironmentFile, parseEnvironmentFile } from "../../../stacks/config";

/** A small environment that is right: what tests change one thing in. */
export const rightEnvironment = {
  stage: "development",
  cluster: { kind: "oci" },
  pools: {
    system: { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 },
    gpu: { shape: "VM.GPU.A10.2", maxNodes: 4 },
  },
  models: {
    chat: { model: "qwen2.5-7b-instruct" },
    small: { model: "llama-3.2-3b-instruct", engine: "ollama" },
  },
  gateway: { hostname: "inference.example.com", tls: { kind: "self-signed" } },
  observability: { alerts: "none" },
};

type Sections = Record<string, unknown>;

/** The text of a `Pulumi.<env>.yaml` with these sections under our namespace. */
export function environmentText(sections: Sections): string {
  const config = Object.fromEntries(Object.entries(sections).map(([key, value]) => [`inference-stacks:${key}`, value]));
  // Quoted, << is a key like any other.
  return stringify({ config }, { defaultKeyType: "QUOTE_DOUBLE" });
}

/** Parses the right environment with some sections replaced. */
export function parseWith(changes: Sections = {}): ParsedEnvironmentFile {
  return parseEnvironmentFile(environmentText({ ...rightEnvironment, ...changes }));
}

export function problemsOf(parsed: ParsedEnvironmentFile): readonly ConfigProblem[] {
  return parsed.ok ? [] : parsed.problems;
}

export function problemsWith(changes: Sections): readonly ConfigProblem[] {
  return problemsOf(parseWith(changes));
}

/** What is told of one section, or of what stands in it. */
export function told(changes: Sections, path: string): string[] {
  return problemsWith(changes).flatMap((each) =>
    each.path === path || each.path.startsWith(`${path}.`) || each.path.startsWith(`${path}[`) ? each.message : [],
  );
}
