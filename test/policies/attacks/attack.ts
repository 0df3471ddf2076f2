import type { RecordedInputs } from "../../../policies/evaluate";
import { object, resource } from "../subjects";

/** What nobody may deploy: in words, the policy that refuses it, and the resources. */
export type Attack = readonly [what: string, policy: string, resources: readonly RecordedInputs[]];

type Body = Readonly<Record<string, unknown>>;

/** An object of a model's namespace. */
export const inModel = (apiVersion: string, kind: string, body: Body) =>
  object(apiVersion, kind, body, { namespace: "model-chat" });

/** An object of the gateway's namespace, of the group that its kind is of. */
export const inGateway = (apiVersion: string, kind: string, spec: unknown, name = "inference") =>
  object(apiVersion, kind, { spec }, { name, namespace: "inference-gateway" });

export const GATEWAY_API = "gateway.networking.k8s.io/v1";
export const ENVOY = "gateway.envoyproxy.io/v1alpha1";

/** An IAM document of one statement that allows. */
export const iam = (statement: Body) =>
  JSON.stringify({ Version: "2012-10-17", Statement: [{ Effect: "Allow", ...statement }] });

export const base64 = (text: string) => Buffer.from(text).toString("base64");

/** A list of the Kubernetes provider. */
export const list = (type: string, ...items: readonly Body[]) => resource(`kubernetes:${type}List`, { items });
