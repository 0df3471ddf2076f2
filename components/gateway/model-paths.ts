/**
 * `/<model>/v1/…`: a base URL that takes one model alone; of a server group, `/<group>/infer` and others besides. Envoy chooses a route several times for one request, and each of these
 * is the choice of one moment (decision 0017):
 *
 * 1. `/<model>/v1…` as the client wrote it. Its key is checked; a script takes the model out of the path and into a header.
 * 2. The AI gateway's filter, which is on because this route says so, reads the body's `model`.
 * 3. With both headers: the rule of that model and path (`model-routes.ts`), or the refusal for all other pairs.
 */
import type { IEnvoyExtensionPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/EnvoyExtensionPolicy";
import type { IHTTPRouteFilter } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/HTTPRouteFilter";
import type { IHTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import type * as pulumi from "@pulumi/pulumi";
import { LABEL_PREFIX, type Labels, MODEL_LABEL, standardLabels } from "../../names/labels";
import { shippedText } from "../../names/shipped-file";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import { AI_FILTER_ANNOTATION } from "./ai-gateway-types";
import { type FreeCallers, freeMatches } from "./free-routes";
import { patternsOf } from "./header-patterns";
import { MODEL_HEADER, PATH_MODEL_HEADER } from "./names";
import type { PathNames, Published } from "./published";
import { modelNotFound, modelNotFoundFilter } from "./refusals";
import { withTokens } from "./tokens";
import { ANY_PATH, HTTPS_LISTENER } from "./traffic";

/** Of the routes whose paths the script takes apart. */
const MODEL_IN_PATH: Labels = { [`${LABEL_PREFIX}/model-in-path`]: "true" };

const ANY_VALUE = ".+";

/** Spec, labels and annotations of the route that a client's path chooses: its own answer is a refusal. */
export function pathRoute({ name, shortcuts = {} }: Pick<Published, "name" | "shortcuts">, tokens: boolean) {
  return {
    labels: { ...labelsOf(name), [MODEL_LABEL]: name, ...MODEL_IN_PATH },
    annotations: { [AI_FILTER_ANNOTATION]: "true" },
    spec: refusing(
      [
        { path: { type: "PathPrefix", value: `/${name}/v1` } },
        ...Object.keys(shortcuts).map((path) => ({
          method: "POST" as const,
          path: { type: "Exact" as const, value: `/${name}${path}` },
        })),
      ],
      tokens,
    ),
  };
}

export interface ModelPathsArgs {
  readonly namespace: pulumi.Input<string>;
  readonly published: readonly Published[];
  /** What runs on every route once the caller is known; the script of these routes would replace it. */
  readonly callerScript: string;
  /** Consumers whose requests have routes of their own, on one header more. @default none */
  readonly free?: FreeCallers;
  /** Whether no other server answers for models that no route names. */
  readonly refusesUnknown: boolean;
}

/** What all of those routes share: the scripts on them, and the refusals of unknown models and of all but a path's own. */
export class ModelPaths extends PlatformComponent {
  constructor(
    name: string,
    { namespace, published, callerScript, free, refusesUnknown }: ModelPathsArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("gateway:ModelPaths", name, opts);
    customResource<IHTTPRouteFilter>(
      this.child("not-found"),
      { ...modelNotFoundFilter, namespace, labels: labelsOf(modelNotFoundFilter.name) },
      this.childOptions(),
    );
    customResource<IEnvoyExtensionPolicy>(
      this.child("script"),
      {
        apiVersion: "gateway.envoyproxy.io/v1alpha1",
        kind: "EnvoyExtensionPolicy",
        name: "model-paths",
        namespace,
        labels: labelsOf("model-paths"),
        spec: {
          targetSelectors: [
            { group: "gateway.networking.k8s.io", kind: "HTTPRoute", matchLabels: { ...MODEL_IN_PATH } },
          ],
          lua: [script(published), callerScript].map((inline) => ({ type: "Inline", inline })),
        },
      },
      this.childOptions(),
    );
    // More headers than a model's own rule has, and fewer exact ones than that of its path: between the two.
    const ofAnyPath = [{ headers: [anyValue(PATH_MODEL_HEADER), anyValue(MODEL_HEADER)] }];
    this.refusal("other-model", namespace, [...ofAnyPath, ...(free ? freeMatches(ofAnyPath, free) : [])]);
    // After the models' own rules, which ask for the exact name, and before the answer in plain text that the AI gateway ends each
    // of its routes with, which asks for no header (Envoy Gateway 1.9, internal/gatewayapi/sort.go).
    if (refusesUnknown) {
      this.refusal("unknown-model", namespace, [{ headers: [anyValue(MODEL_HEADER)] }]);
    }
    this.registerOutputs({});
  }

  private refusal(name: string, namespace: pulumi.Input<string>, matches: Matches): void {
    customResource<IHTTPRoute>(
      this.child(name),
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        name,
        namespace,
        labels: labelsOf(name),
        // The path is the default, written out: who applies a list from elsewhere would see a difference for ever.
        spec: refusing(matches.map((match) => ({ path: ANY_PATH, ...match }))),
      },
      this.childOptions(),
    );
  }
}

type Matches = NonNullable<NonNullable<NonNullable<IHTTPRoute["spec"]>["rules"]>[number]["matches"]>;

function refusing(matches: Matches, tokens = false): NonNullable<IHTTPRoute["spec"]> {
  return { parentRefs: [HTTPS_LISTENER], rules: withTokens([{ matches, filters: [modelNotFound] }], tokens) };
}

/**
 * How the rule of a path's model matches, in a route that the AI gateway makes. By pattern though each name is known: a model that
 * is matched exactly is in `GET /v1/models`, and these are there already (Envoy AI Gateway 1.1, internal/controller/gateway.go).
 *
 * @param names that the path takes.
 */
export function pathMatches(path: string, names: PathNames) {
  return namePatterns(names).map((value) => ({
    headers: [
      { type: "Exact" as const, name: PATH_MODEL_HEADER, value: path },
      { type: "RegularExpression" as const, name: MODEL_HEADER, value },
    ],
  }));
}

/** How a rule matches a model's names by pattern, for the same reason. */
export function nameMatches(names: PathNames) {
  return namePatterns(names).map((value) => ({
    headers: [{ type: "RegularExpression" as const, name: MODEL_HEADER, value }],
  }));
}

function namePatterns(names: PathNames): string[] {
  return names === "any" ? [ANY_VALUE] : patternsOf(names);
}

function anyValue(name: string) {
  return { type: "RegularExpression" as const, name, value: ANY_VALUE };
}

/** `scripts/model-path.lua` with its data about the servers. Keys and paths are ours: nothing in them ends a string of Lua. */
export function script(published: readonly Pick<Published, "name" | "shortcuts">[]): string {
  const table = (entries: readonly string[]) => (entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`);
  const rows = published.flatMap(({ name, shortcuts }) =>
    shortcuts === undefined
      ? []
      : `["${name}"] = ${table(Object.entries(shortcuts).map(([path, there]) => `["${path}"] = "${there}"`))}`,
  );
  const text = shippedText("components/gateway/scripts/model-path.lua");
  return `local shortcuts = ${table(rows)}\n\n${text}`;
}

function labelsOf(name: string): Record<string, string> {
  return { ...standardLabels("model-route", name) };
}
