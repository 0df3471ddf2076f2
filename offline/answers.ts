import type { ArnPlace } from "../components/cluster/eks/arn";
import { awsCalls, awsState, OFFLINE_AWS } from "./aws-answers";
import { answerOfHost } from "./host-answers";
import { OCI_CALLS } from "./oci-answers";

/** What the providers of an offline run answer. */
export interface ProviderAnswers {
  /** Result of a provider function. Throws for a function it does not know: an invented answer proves nothing. */
  call(token: string, inputs: unknown): Record<string, unknown>;
  /** Outputs of a resource besides its inputs. */
  state(type: string, name: string, inputs: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** Id of a resource that a provider makes. */
  id(type: string, name: string): string;
  /** A value of another stack that only its deployment knows; named by where it stands there. */
  ofOtherStack(path: string): string;
}

/** Result of a provider function for its inputs. */
export type ProviderFunction = (inputs: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** Recognizable stand-in for a value that only a real provider can make. It never leaves an offline run. */
function generated(name: string): string {
  return `offline-${name}`;
}

/** @param aws where on AWS a run is; asked with each answer: a run reads its environment first. */
export const answersIn = (aws: () => ArnPlace): ProviderAnswers => ({
  id: (_type, name) => `${name}-id`,
  ofOtherStack: generated,
  call(token, inputs) {
    const answer = OCI_CALLS[token] ?? awsCalls(aws())[token];
    if (answer !== undefined) {
      return answer(inputs as Readonly<Record<string, unknown>>);
    }
    throw new Error(`the offline run has no answer for the provider function ${token}`);
  },
  state(type, name, inputs) {
    switch (type) {
      case "random:index/randomPassword:RandomPassword":
        return { ...inputs, result: generated(name), bcryptHash: generated(name) };
      case "random:index/randomId:RandomId":
        return { ...inputs, hex: generated(name), b64Url: generated(name) };
      case "command:remote:Command":
        return { ...inputs, stdout: answerOfHost(inputs), stderr: "" };
      case "command:local:Command":
        return { ...inputs, stdout: generated(name), stderr: "" };
      case "oci:Core/vcn:Vcn":
        return { ...inputs, defaultSecurityListId: generated(`${name}-security-list`) };
      case "oci:ContainerEngine/cluster:Cluster":
        return { ...inputs, endpoints: [{ privateEndpoint: "10.0.0.2:6443" }] };
      default:
        return awsState(type, name, inputs, aws()) ?? { ...inputs };
    }
  },
});

/** Of a run without an environment. */
export const defaultAnswers: ProviderAnswers = answersIn(() => OFFLINE_AWS);
