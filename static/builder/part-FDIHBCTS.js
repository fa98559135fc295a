import{a,b,c}from"./part-AZ54DDUF.js";import"./part-I4OI23C7.js";import"./part-GXFUCNXH.js";import"./part-7WDLC2OI.js";import"./part-K4SABGCS.js";export{b as levelsOf,c as tidied,a as tidy};
