import type { ProviderAnswers } from "./answers";

const STACK_REFERENCE = "pulumi:pulumi:StackReference";

/** An output of another stack: what an offline run assumes of it, because it asks no backend. */
export interface AssumedOutput {
  readonly name: string;
  readonly value: unknown;
}

/**
 * Answers that know of other stacks too.
 *
 * @param assume what the other stack has as outputs; asked when the program refers to one.
 */
export function withOtherStack(
  answers: ProviderAnswers,
  assume: (answers: ProviderAnswers) => AssumedOutput,
): ProviderAnswers {
  return {
    call: (token, inputs) => answers.call(token, inputs),
    id: (type, name) => answers.id(type, name),
    ofOtherStack: (path) => answers.ofOtherStack(path),
    state(type, name, inputs) {
      if (type !== STACK_REFERENCE) {
        return answers.state(type, name, inputs);
      }
      const output = assume(answers);
      return { ...inputs, outputs: { [output.name]: output.value }, secretOutputNames: [output.name] };
    },
  };
}
