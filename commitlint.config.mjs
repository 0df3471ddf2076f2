// Subjects of commits: `area: imperative`, at most 72 characters.
const notImperative = /^(?!(?:alias|bring|embed|ping)$)[a-z]+(?:ing|[^es]ed|[^su]s)$/;

export default {
  parserPreset: {
    parserOpts: { headerPattern: /^([a-z][a-z0-9-]*): (.+)$/, headerCorrespondence: ["type", "subject"] },
  },
  plugins: [
    {
      rules: {
        "subject-imperative": ({ type, subject }) => {
          const [verb = ""] = (subject ?? "").split(" ");
          return [
            type === "merge" || !notImperative.test(verb),
            `write an imperative, such as "gateway: limit header size", not "${verb}"`,
          ];
        },
      },
    },
  ],
  rules: {
    "header-max-length": [2, "always", 72],
    "type-empty": [2, "never"],
    "subject-empty": [2, "never"],
    "subject-full-stop": [2, "never", "."],
    "subject-imperative": [2, "always"],
  },
};
