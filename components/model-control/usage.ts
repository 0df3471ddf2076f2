import { MODEL_CONTROL_NAMESPACE } from "../../names/namespaces";
import { MODEL_CONTROL } from "../../names/services";
import { INFERENCE_CLIENTS, TOKEN_KEY, tokenSecretName } from "./api-tokens";
import { MODEL_CONTROL_PORTS } from "./names";

/** Instructions for a first call, without tokens. */
export interface ModelControlUsage {
  /** Address of the API: public, or local with `portForward`. */
  readonly address: string;
  /** Port-forward command. Undefined with a public address. */
  readonly portForward?: string;
  readonly token: string;
  /** Command that prints the inference clients' token. Undefined without asynchronous inference. */
  readonly inferenceToken?: string;
}

/** @param publicAddress of the API at the gateway, if any. */
export function modelControlUsage(publicAddress: string | undefined, hasInference: boolean): ModelControlUsage {
  const { http } = MODEL_CONTROL_PORTS;
  return {
    address: publicAddress ?? `http://127.0.0.1:${http}`,
    ...(publicAddress === undefined && {
      portForward: `kubectl -n ${MODEL_CONTROL_NAMESPACE} port-forward service/${MODEL_CONTROL} ${http}`,
    }),
    token: printToken("operator"),
    ...(hasInference && { inferenceToken: printToken(INFERENCE_CLIENTS) }),
  };
}

function printToken(owner: string): string {
  const secret = tokenSecretName(owner);
  return `kubectl -n ${MODEL_CONTROL_NAMESPACE} get secret ${secret} -o jsonpath='{.data.${TOKEN_KEY}}' | base64 -d`;
}
