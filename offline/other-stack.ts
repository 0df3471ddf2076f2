import type { ProviderAnswers } from "./answers";

const STACK_REFERENCE = "pulumi:pulumi:StackReference";

/** Assumed output of another stack, as an offline run queries no backend. */
export interface AssumedOutput {
  readonly name: string;
  readonly value: unknown;
}

/**
 * Adds answers for other stacks.
 *
 * @param assume outputs of the other stack; called when the program references one.
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
