import fc from "fast-check";
import type { NodeConfigArgs } from "../../../components/node/envoy-config";
import { engineOf } from "../../../engines";

/** Engines that nodes can have beside them. */
export const NODE_ENGINES = ["ollama", "vllm", "triton", "tgi"] as const;

/** Names that models are served under: what configurations take, and more. */
const servedName = fc.oneof(
  fc.stringMatching(/^[a-z0-9]([a-z0-9._-]{0,40}[a-z0-9])?$/),
  fc.constantFrom("llama3.1:8b", "meta-llama/Llama-3.1-8B", "100%", "%REQ(AUTHORIZATION)%", 'a"b\\c', "ü", "a b"),
);

// Made once: an arbitrary of a pattern takes 60 ms to make.
const tritonName = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,40}$/);
const group = fc.stringMatching(/^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$/);

/** What a node may be rendered from: any engine with any task of its own, any port, names and times. */
export const nodeConfigArgs: fc.Arbitrary<NodeConfigArgs> = fc.constantFrom(...NODE_ENGINES).chain((engine) =>
  fc
    .record({
      task: fc.constantFrom(...engineOf(engine).tasks),
      servedName: engine === "triton" ? tritonName : servedName,
      group,
      port: fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }),
      times: fc.option(
        fc.record({
          healthSeconds: fc.integer({ min: 1, max: 60 }),
          streamIdleSeconds: fc.integer({ min: 1, max: 86_400 }),
        }),
        { nil: undefined },
      ),
    })
    .map(({ task, servedName, group, port, times }) => ({
      model: { engine, servedName, task, node: { group } },
      ...(port !== undefined && { enginePort: port }),
      ...(times !== undefined && { times }),
    })),
);
