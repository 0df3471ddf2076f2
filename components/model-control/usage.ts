import { MODEL_CONTROL_NAMESPACE } from "../../names/namespaces";
import { MODEL_CONTROL } from "../../names/services";
import { INFERENCE_CLIENTS, TOKEN_KEY, tokenSecretName } from "./api-tokens";
import { MODEL_CONTROL_PORTS } from "./names";

/** What an operator needs for a first call; no token is ever part of this text. */
export interface ModelControlUsage {
  /** Where the API answers: its public address, or this computer once `portForward` runs. */
  readonly address: string;
  /** Command that makes the API answer on this computer; left out where it has a public address. */
  readonly portForward?: string;
  /** Command that prints the operator's token. */
  readonly token: string;
  /** Command that prints the token of clients that ask for answers; left out where there is no asynchronous inference. */
  readonly inferenceToken?: string;
}

/** @param publicAddress where the gateway routes to the API; undefined where it does not. */
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
