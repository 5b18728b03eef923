mod catalogue;
mod interface;
