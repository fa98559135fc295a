// What a page's reader did to its elements, and morphing must not undo.

const rules = [];

/** Leaves an attribute as it is where `rule(name, node)` says so. */
export function leave(rule) {
  if (!rules.length) {
    window.Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) =>
      !rules.some((each) => each(name, node));
  }
  rules.push(rule);
}

/** Leaves elements that fit a selector as they are, with all that a script has put into them. */
export function keep(selector) {
  window.Idiomorph.defaults.callbacks.beforeNodeMorphed = (node) => !(node.matches?.(selector) ?? false);
}
