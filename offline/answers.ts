import { type AwsPlace, awsCalls, awsState, OFFLINE_AWS } from "./aws-answers";
import { answerOfHost } from "./host-answers";
import { OCI_CALLS } from "./oci-answers";

/** Simulated provider answers of an offline run. */
export interface ProviderAnswers {
  /**
   * Result of a provider function. Throws for an unknown one: an invented result proves nothing.
   */
  call(token: string, inputs: unknown): Record<string, unknown>;
  /** Additional outputs of a resource. */
  state(type: string, name: string, inputs: Readonly<Record<string, unknown>>): Record<string, unknown>;
  id(type: string, name: string): string;
  /** Output of another stack, by its path there. */
  ofOtherStack(path: string): string;
}

/** Provider function. */
export type ProviderFunction = (inputs: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** Recognizable placeholder for a provider-generated value. Never leaves an offline run. */
function generated(name: string): string {
  return `offline-${name}`;
}

/** @param aws the run's AWS location; called per answer, as the environment is read first. */
export const answersIn = (aws: () => AwsPlace): ProviderAnswers => ({
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
      case "tls:index/privateKey:PrivateKey":
        return { ...inputs, privateKeyPem: generated(name) };
      case "tls:index/selfSignedCert:SelfSignedCert":
        return { ...inputs, certPem: generated(name) };
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

/** For a run without an environment. */
export const defaultAnswers: ProviderAnswers = answersIn(() => OFFLINE_AWS);
