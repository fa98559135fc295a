/** Ids for what is new. */

const LETTERS: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" };

/** `Charge the card!` becomes `charge_the_card`; empty where no letter is left. */
export function slug(title: string): string {
  const plain = title
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => LETTERS[letter])
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .slice(0, 40)
    .replace(/_$/, "");
  return /^[a-z_]/.test(plain) ? plain : plain && `step_${plain}`;
}

/** The wanted id, or with a number behind it where that is taken. */
export function free(wanted: string, taken: Record<string, unknown>): string {
  const plain = wanted || "step";
  let id = plain;
  for (let number = 2; Object.hasOwn(taken, id); number += 1) id = `${plain}_${number}`;
  return id;
}
