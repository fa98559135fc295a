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

/** Leaves an element as it is, with all that is in it, where `rule(node, next)` says so of it and what came. */
export function keep(rule) {
  window.Idiomorph.defaults.callbacks.beforeNodeMorphed = (node, next) => !rule(node, next);
}
