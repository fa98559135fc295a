import{a,b,c}from"./part-E5BWAH4W.js";import"./part-UZDVWDXN.js";import"./part-WPZDHLFZ.js";import"./part-7WDLC2OI.js";import"./part-K4SABGCS.js";export{b as levelsOf,c as tidied,a as tidy};
